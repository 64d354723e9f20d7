"""topk, forward, on MXNet 1.9.1: 3.05 times as slow as a neighbour that does equal work.

slow       92.0 us a call, where 30.0 us were expected
fast       30.0 us a call
step       axes 0 and 1 exchanged
ratio      3.05 times, 95% interval 2.98 to 3.17, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.05 times: axes 0 and 1 exchanged
roofline   5.82 times: this machine can move and compute as much in that time
kin        3.13 times: argmax of the same input

Measure it again: python topk-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="1.9.1",
    seed=0,
)


@case("topk/c1c20f96", profile="finding")
def slow():
    return dict(
        data=tensor((32, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("topk/99bc356e", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 32), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.75, threads=1))
