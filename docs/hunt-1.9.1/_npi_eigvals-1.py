"""_npi_eigvals, forward, on MXNet 1.9.1: 4.84 times as slow as a neighbour that does equal work.

slow       146 us a call, where 29.8 us were expected
fast       29.8 us a call
step       int64: as many elements, 2 times the bytes
ratio      4.84 times, 95% interval 4.62 to 5.15, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.84 times: int64: as many elements, 2 times the bytes
roofline   7.89 times: this machine can move and compute as much in that time

Measure it again: python _npi_eigvals-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.2 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_eigvals",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_eigvals/3ea9e658", profile="finding")
def slow():
    return dict(
        A=tensor((32, 32), "float32", matrices("symmetric")),
    )


@case("_npi_eigvals/ece17881", profile="contrast")
def fast():
    return dict(
        A=tensor((32, 32), "int64", matrices("symmetric")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.2, threads=1))
