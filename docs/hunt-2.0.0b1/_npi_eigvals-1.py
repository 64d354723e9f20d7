"""_npi_eigvals, forward, on MXNet 2.0.0b1: 4.67 times as slow as a neighbour that does equal work.

slow       160 us a call, where 34.1 us were expected
fast       34.1 us a call
step       int64: as many elements, 2 times the bytes
ratio      4.67 times, 95% interval 4.28 to 4.78, with 1 thread
family     float32 or float64
neighbour  4.67 times: int64: as many elements, 2 times the bytes
roofline   10.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_eigvals-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.16 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_eigvals",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_eigvals/28be564b", profile="finding")
def slow():
    return dict(
        A=tensor((1, 32, 32), "float32", matrices("symmetric")),
    )


@case("_npi_eigvals/2186b4e9", profile="contrast")
def fast():
    return dict(
        A=tensor((1, 32, 32), "int64", matrices("symmetric")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.16, threads=1))
