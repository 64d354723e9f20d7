"""_minimum, forward, on MXNet 2.0.0b1: 4.52 times as slow as a neighbour that does equal work.

slow       103 us a call, where 22.5 us were expected
fast       22.5 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.52 times, 95% interval 4.23 to 4.78, with 1 thread
family     float16
neighbour  4.52 times: int32: as many elements, 2 times the bytes
roofline   7.76 times: this machine can move and compute as much in that time

Measure it again: python _minimum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_minimum",
    category="elementwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_minimum/4e4dc499", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_minimum/546fa480", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "int32", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.13, threads=1))
