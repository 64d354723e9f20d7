"""_npi_eigh, forward, on MXNet 2.0.0b1: 2.33 times as slow as a neighbour that does equal work.

slow       97.8 us a call, where 42.2 us were expected
fast       42.2 us a call
step       int64: as many elements, 2 times the bytes
ratio      2.33 times, 95% interval 2.25 to 2.41, with 1 thread
family     float32
neighbour  2.33 times: int64: as many elements, 2 times the bytes
roofline   8.03 times: this machine can move and compute as much in that time

Measure it again: python _npi_eigh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_eigh",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_eigh/bc583ead", profile="finding")
def slow():
    return dict(
        A=tensor((32, 4, 4), "float32", matrices("symmetric")),
    )


@case("_npi_eigh/0eabeca0", profile="contrast")
def fast():
    return dict(
        A=tensor((32, 4, 4), "int64", matrices("symmetric")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.53, threads=1))
