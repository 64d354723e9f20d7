"""_linalg_potri, backward, on MXNet 2.0.0b1: 2.24 times as slow as a neighbour that does equal work.

slow       155 us a call, where 65.7 us were expected
fast       65.7 us a call
step       float64: as many elements, 2 times the bytes
ratio      2.24 times, 95% interval 2.08 to 2.44, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.24 times: float64: as many elements, 2 times the bytes
roofline   12.9 times: this machine can move and compute as much in that time
forward    3.14 times: the forward pass of the same input

Measure it again: python _linalg_potri-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_potri",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_potri/776c2d4d", profile="finding")
def slow():
    return dict(
        A=tensor((4, 4, 4), "float32", matrices("lower")),
    )


@case("_linalg_potri/f2fd7cfe", profile="contrast")
def fast():
    return dict(
        A=tensor((4, 4, 4), "float64", matrices("lower")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.5, threads=1))
