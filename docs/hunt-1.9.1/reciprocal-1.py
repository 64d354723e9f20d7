"""reciprocal, backward, on MXNet 1.9.1: 6.97 times as slow as a neighbour that does equal work.

slow       363 us a call, where 52.0 us were expected
fast       52.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      6.97 times, 95% interval 6.70 to 7.19, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 4.72 times
neighbour  6.97 times: float32: as many elements, 2 times the bytes
model      7.01 times: half of 31 other inputs lie within a factor of 1.04 of it
roofline   29.5 times: this machine can move and compute as much in that time
forward    2.46 times: the forward pass of the same input

Measure it again: python reciprocal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="reciprocal",
    category="power",
    mxnet="1.9.1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.64, threads=1))
