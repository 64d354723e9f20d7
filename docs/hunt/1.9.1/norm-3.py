"""norm, forward, on MXNet 1.9.1: 1.98 times as slow as a neighbour that does equal work.

slow       261 us a call, where 132 us were expected
fast       132 us a call
step       axes 0 and 1 exchanged
ratio      1.98 times, 95% interval 1.88 to 2.10, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.98 times: axes 0 and 1 exchanged
model      2.51 times: half of 95 other inputs lie within a factor of 1.39 of it
roofline   21.0 times: this machine can move and compute as much in that time

Measure it again: python norm-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="norm",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("norm/af123195", profile="finding")
def slow():
    return dict(
        data=tensor((391, 6, 7), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
        keepdims=True,
        ord=1,
    )


@case("norm/10baf56a", profile="contrast")
def fast():
    return dict(
        data=tensor((6, 391, 7), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
        keepdims=True,
        ord=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.41, threads=1))
