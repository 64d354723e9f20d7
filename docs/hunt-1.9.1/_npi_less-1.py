"""_npi_less, forward, on MXNet 1.9.1: 3.96 times as slow as a neighbour that does equal work.

slow       127 us a call, where 32.4 us were expected
fast       32.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.96 times, 95% interval 3.89 to 4.08, with 1 thread
family     float16
neighbour  3.96 times: int32: as many elements, 2 times the bytes
roofline   7.96 times: this machine can move and compute as much in that time

Measure it again: python _npi_less-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_less",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_less/cc8e1260", profile="finding")
def slow():
    return dict(
        lhs=tensor((1,), "float16", integers(0, 4)),
        rhs=tensor((16384,), "float16", integers(0, 4)),
    )


@case("_npi_less/ec34c47b", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1,), "int32", integers(0, 4)),
        rhs=tensor((16384,), "int32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.99, threads=1))
