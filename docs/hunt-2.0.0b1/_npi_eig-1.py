"""_npi_eig, forward, on MXNet 2.0.0b1: 2.64 times as slow as a neighbour that does equal work.

slow       152 us a call, where 58.5 us were expected
fast       58.5 us a call
step       int64: as many elements, 2 times the bytes
ratio      2.64 times, 95% interval 2.54 to 2.71, with 1 thread
family     float32 or float64
neighbour  2.64 times: int64: as many elements, 2 times the bytes
roofline   10.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_eig-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.63 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_eig",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_eig/e392c97a", profile="finding")
def slow():
    return dict(
        A=tensor((16, 8, 8), "float32", matrices("symmetric")),
    )


@case("_npi_eig/d44c90e8", profile="contrast")
def fast():
    return dict(
        A=tensor((16, 8, 8), "int64", matrices("symmetric")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.63, threads=1))
