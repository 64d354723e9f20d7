"""_npi_fix, forward, on MXNet 1.9.1: 3.52 times as slow as a neighbour that does equal work.

slow       378 us a call, where 108 us were expected
fast       108 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.52 times, 95% interval 3.44 to 3.58, with 1 thread
family     float16
neighbour  3.52 times: float32: as many elements, 2 times the bytes
roofline   23.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_fix-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fix",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_fix/4f72e6b4", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-8.0, 8.0)),
    )


@case("_npi_fix/795df62d", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
