"""take, backward, on MXNet 1.9.1: 2.02 times as slow as a neighbour that does equal work.

slow       127 us a call, where 61.7 us were expected
fast       61.7 us a call
step       axes 0 and 1 exchanged
ratio      2.02 times, 95% interval 1.94 to 2.09, with 1 thread
family     axis is not the first, and 227 elements or more
also       forward, 12.9 times
neighbour  2.02 times: axes 0 and 1 exchanged
roofline   8.54 times: this machine can move and compute as much in that time

Measure it again: python take-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="take",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("take/fee1a793", profile="finding")
def slow():
    return dict(
        a=tensor((256, 4), "float32", uniform(-1.0, 1.0)),
        indices=tensor((256,), "int32", integers(0, 4)),
        axis=1,
    )


@case("take/ad7d3b5f", profile="contrast")
def fast():
    return dict(
        a=tensor((4, 256), "float32", uniform(-1.0, 1.0)),
        indices=tensor((256,), "int32", integers(0, 4)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.42, threads=1))
