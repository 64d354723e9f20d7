"""_linalg_gelqf, backward, on MXNet 2.0.0b1: 2.54 times as slow as a neighbour that does equal work.

slow       133 us a call, where 50.9 us were expected
fast       50.9 us a call
step       float64: as many elements, 2 times the bytes
ratio      2.54 times, 95% interval 2.41 to 2.67, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.54 times: float64: as many elements, 2 times the bytes
roofline   11.1 times: this machine can move and compute as much in that time
forward    3.92 times: the forward pass of the same input

Measure it again: python _linalg_gelqf-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.59 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_gelqf",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_gelqf/f14c882e", profile="finding")
def slow():
    return dict(
        A=tensor((4, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("_linalg_gelqf/60b144e4", profile="contrast")
def fast():
    return dict(
        A=tensor((4, 1, 1), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.59, threads=1))
