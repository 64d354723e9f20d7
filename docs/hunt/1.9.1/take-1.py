"""take, backward, on MXNet 1.9.1: 6.46 times as slow as a neighbour that does equal work.

slow       372 us a call, where 57.6 us were expected
fast       57.6 us a call
step       axes 0 and 1 exchanged
ratio      6.46 times, 95% interval 6.31 to 6.58, with 1 thread
family     axis is not the first
also       forward, 11.0 times
neighbour  6.46 times: axes 0 and 1 exchanged
roofline   16.0 times: this machine can move and compute as much in that time
forward    10.4 times: the forward pass of the same input

Measure it again: python take-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="take",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("take/88303b80", profile="finding")
def slow():
    return dict(
        a=tensor((64, 1000), "float32", uniform(-1.0, 1.0)),
        indices=tensor((1,), "int32", integers(0, 1000)),
        axis=1,
    )


@case("take/a16405d0", profile="contrast")
def fast():
    return dict(
        a=tensor((1000, 64), "float32", uniform(-1.0, 1.0)),
        indices=tensor((1,), "int32", integers(0, 1000)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.54, threads=1))
