"""_greater_equal, forward, on MXNet 2.0.0b1: 4.05 times as slow as a neighbour that does equal work.

slow       100 us a call, where 24.9 us were expected
fast       24.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.05 times, 95% interval 3.87 to 4.14, with 1 thread
family     float16
neighbour  4.05 times: float32: as many elements, 2 times the bytes
roofline   5.91 times: this machine can move and compute as much in that time

Measure it again: python _greater_equal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_greater_equal",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_greater_equal/b6617e27", profile="finding")
def slow():
    return dict(
        lhs=tensor((65536,), "float16", integers(0, 4)),
        rhs=tensor((65536,), "float16", integers(0, 4)),
    )


@case("_greater_equal/3dcde80e", profile="contrast")
def fast():
    return dict(
        lhs=tensor((65536,), "float32", integers(0, 4)),
        rhs=tensor((65536,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.01, threads=1))
