"""reciprocal, backward, on MXNet 2.0.0b1: 7.46 times as slow as a neighbour that does equal work.

slow       470 us a call, where 60.0 us were expected
fast       60.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.46 times, 95% interval 6.89 to 8.04, with 1 thread
family     float16
also       forward, 8.95 times
neighbour  7.46 times: float32: as many elements, 2 times the bytes
roofline   36.6 times: this machine can move and compute as much in that time
forward    3.30 times: the forward pass of the same input

Measure it again: python reciprocal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="reciprocal",
    category="power",
    mxnet="2.0.0b1",
    seed=0,
)


@case("reciprocal/fbbca9e7", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(0.1, 2.0)),
    )


@case("reciprocal/80c8ea40", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.73, threads=1))
