"""_logical_xor, forward, on MXNet 1.9.1: 5.52 times as slow as a neighbour that does equal work.

slow       313 us a call, where 55.4 us were expected
fast       55.4 us a call
step       int64: as many elements, 2 times the bytes
ratio      5.52 times, 95% interval 3.99 to 5.95, with 1 thread
family     float32 or float64 or float16
neighbour  5.52 times: int64: as many elements, 2 times the bytes
roofline   15.9 times: this machine can move and compute as much in that time

Measure it again: python _logical_xor-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_xor",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_logical_xor/fc074309", profile="finding")
def slow():
    return dict(
        lhs=tensor((32768,), "float32", mask(0.5)),
        rhs=tensor((32768,), "float32", mask(0.5)),
    )


@case("_logical_xor/dbdcdbba", profile="contrast")
def fast():
    return dict(
        lhs=tensor((32768,), "int64", mask(0.5)),
        rhs=tensor((32768,), "int64", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
