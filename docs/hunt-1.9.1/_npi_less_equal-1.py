"""_npi_less_equal, forward, on MXNet 1.9.1: 4.68 times as slow as a neighbour that does equal work.

slow       117 us a call, where 25.2 us were expected
fast       25.2 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.68 times, 95% interval 4.65 to 4.78, with 1 thread
family     float16
neighbour  4.68 times: int64: as many elements, 4 times the bytes
model      3.83 times: half of 22 other inputs lie within a factor of 1.06 of it
roofline   7.52 times: this machine can move and compute as much in that time

Measure it again: python _npi_less_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.16 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_less_equal",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_less_equal/b25f65b8", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 1), "float16", integers(0, 4)),
        rhs=tensor((1, 256), "float16", integers(0, 4)),
    )


@case("_npi_less_equal/5259b4b0", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1), "int64", integers(0, 4)),
        rhs=tensor((1, 256), "int64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.16, threads=1))
