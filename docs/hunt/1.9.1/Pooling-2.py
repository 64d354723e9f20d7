"""Pooling, forward, on MXNet 1.9.1: 2.05 times as slow as a neighbour that does equal work.

slow       55.0 us a call, where 26.6 us were expected
fast       26.6 us a call
step       float64: as many elements, 2 times the bytes
ratio      2.05 times, 95% interval 1.93 to 2.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.05 times: float64: as many elements, 2 times the bytes
roofline   4.75 times: this machine can move and compute as much in that time

Measure it again: python Pooling-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/e4547f0d", profile="finding")
def slow():
    return dict(
        data=tensor((1, 32, 32), "float32", uniform(-1.0, 1.0)),
        kernel=(1,),
    )


@case("Pooling/1bb3b2e2", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 32, 32), "float64", uniform(-1.0, 1.0)),
        kernel=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
