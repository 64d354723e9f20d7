"""_npi_around, forward, on MXNet 2.0.0b1: 3.63 times as slow as a neighbour that does equal work.

slow       258 us a call, where 69.8 us were expected
fast       69.8 us a call
step       int32: as many elements, as many bytes
ratio      3.63 times, 95% interval 3.46 to 3.74, with 1 thread
family     float32 or float64
neighbour  3.63 times: int32: as many elements, as many bytes
roofline   13.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_around-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.91 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_around",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_around/cfe9c39f", profile="finding")
def slow():
    return dict(
        x=tensor((65536,), "float32", integers(1, 8)),
    )


@case("_npi_around/ec3a193f", profile="contrast")
def fast():
    return dict(
        x=tensor((65536,), "int32", integers(1, 8)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.91, threads=1))
