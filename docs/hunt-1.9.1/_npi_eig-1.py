"""_npi_eig, forward, on MXNet 1.9.1: 4.08 times as slow as a neighbour that does equal work.

slow       260 us a call, where 64.7 us were expected
fast       64.7 us a call
step       int64: as many elements, 2 times the bytes
ratio      4.08 times, 95% interval 3.87 to 4.37, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.08 times: int64: as many elements, 2 times the bytes
roofline   11.2 times: this machine can move and compute as much in that time

Measure it again: python _npi_eig-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.02 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_eig",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_eig/e24d87a9", profile="finding")
def slow():
    return dict(
        A=tensor((32, 32), "float32", matrices("symmetric")),
    )


@case("_npi_eig/1b7e0941", profile="contrast")
def fast():
    return dict(
        A=tensor((32, 32), "int64", matrices("symmetric")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.02, threads=1))
