"""Dropout, backward, on MXNet 1.9.1: 2.41 times as slow as a neighbour that does equal work.

slow       107 us a call, where 44.4 us were expected
fast       44.4 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.41 times, 95% interval 2.36 to 2.49, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.04 times
neighbour  2.41 times: float64: as many elements, 4 times the bytes
roofline   6.82 times: this machine can move and compute as much in that time

Measure it again: python Dropout-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Dropout",
    category="nn_basic",
    mxnet="1.9.1",
    seed=0,
)


@case("Dropout/7e088ff5", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("Dropout/d0c81d8e", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.55, threads=1))
