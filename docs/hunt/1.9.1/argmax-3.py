"""argmax, forward, on MXNet 1.9.1: 2.17 times as slow as a neighbour that does equal work.

slow       22,934 us a call, where 10,501 us were expected
fast       10,501 us a call
step       axes 0 and 3 exchanged
ratio      2.17 times, 95% interval 2.14 to 2.19, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.17 times: axes 0 and 3 exchanged
model      3.10 times: half of 254 other inputs lie within a factor of 1.07 of it
roofline   14.2 times: this machine can move and compute as much in that time

Measure it again: python argmax-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("argmax/2a5c7c76", profile="finding")
def slow():
    return dict(
        data=tensor((8, 30, 129, 135), "float32", uniform(-1.0, 1.0)),
        axis=2,
        keepdims=True,
    )


@case("argmax/fa8af5b4", profile="contrast")
def fast():
    return dict(
        data=tensor((135, 30, 129, 8), "float32", uniform(-1.0, 1.0)),
        axis=2,
        keepdims=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.47, threads=1))
