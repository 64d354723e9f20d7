"""_npi_eigh, forward, on MXNet 1.9.1: 2.63 times as slow as a neighbour that does equal work.

slow       146 us a call, where 56.1 us were expected
fast       56.1 us a call
step       int32: as many elements, as many bytes
ratio      2.63 times, 95% interval 2.52 to 2.77, with 1 thread
family     float32 or float64, and the last dimension is 3 or more
neighbour  2.63 times: int32: as many elements, as many bytes
roofline   9.25 times: this machine can move and compute as much in that time

Measure it again: python _npi_eigh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_npi_eigh",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_eigh/7db241b4", profile="finding")
def slow():
    return dict(
        A=tensor((63, 4, 4), "float32", matrices("symmetric")),
    )


@case("_npi_eigh/45f49eec", profile="contrast")
def fast():
    return dict(
        A=tensor((63, 4, 4), "int32", matrices("symmetric")),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.62, threads=1))
