"""_npi_equal, forward, on MXNet 1.9.1: 4.00 times as slow as a neighbour that does equal work.

slow       71.0 us a call, where 18.0 us were expected
fast       18.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.00 times, 95% interval 3.69 to 4.08, with 1 thread
family     float16
neighbour  4.00 times: int32: as many elements, 2 times the bytes
roofline   4.44 times: this machine can move and compute as much in that time

Measure it again: python _npi_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.0 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_equal/315c1682", profile="finding")
def slow():
    return dict(
        lhs=tensor((10000,), "float16", integers(0, 4)),
        rhs=tensor((10000,), "float16", integers(0, 4)),
    )


@case("_npi_equal/d94fad8a", profile="contrast")
def fast():
    return dict(
        lhs=tensor((10000,), "int32", integers(0, 4)),
        rhs=tensor((10000,), "int32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.0, threads=1))
