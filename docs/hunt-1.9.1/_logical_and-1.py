"""_logical_and, forward, on MXNet 1.9.1: 4.26 times as slow as a neighbour that does equal work.

slow       184 us a call, where 41.2 us were expected
fast       41.2 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.26 times, 95% interval 4.05 to 5.14, with 1 thread
family     float16
neighbour  4.26 times: int64: as many elements, 4 times the bytes
roofline   10.5 times: this machine can move and compute as much in that time

Measure it again: python _logical_and-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.06 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_and",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_logical_and/c77246b2", profile="finding")
def slow():
    return dict(
        lhs=tensor((32768,), "float16", mask(0.5)),
        rhs=tensor((32768,), "float16", mask(0.5)),
    )


@case("_logical_and/a43e8b83", profile="contrast")
def fast():
    return dict(
        lhs=tensor((32768,), "int64", mask(0.5)),
        rhs=tensor((32768,), "int64", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.06, threads=1))
