"""elemwise_sub, forward, on MXNet 2.0.0b1: 12.4 times as slow as a neighbour that does equal work.

slow       261 us a call, where 21.2 us were expected
fast       21.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      12.4 times, 95% interval 11.3 to 13.1, with 1 thread
family     float16
neighbour  12.4 times: int32: as many elements, 2 times the bytes
roofline   18.1 times: this machine can move and compute as much in that time

Measure it again: python elemwise_sub-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="elemwise_sub",
    category="elementwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("elemwise_sub/64b08fd2", profile="finding")
def slow():
    return dict(
        lhs=tensor((32768,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("elemwise_sub/ad5c32e4", profile="contrast")
def fast():
    return dict(
        lhs=tensor((32768,), "int32", uniform(-1.0, 1.0)),
        rhs=tensor((32768,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.52, threads=1))
