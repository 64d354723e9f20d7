"""_npi_not_equal, forward, on MXNet 1.9.1: 3.93 times as slow as a neighbour that does equal work.

slow       132 us a call, where 33.2 us were expected
fast       33.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.93 times, 95% interval 3.40 to 4.10, with 1 thread
family     float16
neighbour  3.93 times: int32: as many elements, 2 times the bytes
model      4.33 times: half of 23 other inputs lie within a factor of 1.04 of it
roofline   8.23 times: this machine can move and compute as much in that time

Measure it again: python _npi_not_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_not_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_not_equal/fc0ebb7e", profile="finding")
def slow():
    return dict(
        lhs=tensor((1,), "float16", integers(0, 4)),
        rhs=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_npi_not_equal/c273097d", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1,), "int32", integers(0, 4)),
        rhs=tensor((16384,), "int32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.98, threads=1))
