"""sign, forward, on MXNet 2.0.0b1: 2.75 times as slow as a neighbour that does equal work.

slow       110 us a call, where 41.4 us were expected
fast       41.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.75 times, 95% interval 2.62 to 2.88, with 1 thread
family     float16 or int64
neighbour  2.75 times: int32: as many elements, 2 times the bytes
roofline   7.17 times: this machine can move and compute as much in that time

Measure it again: python sign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.66 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sign",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("sign/c489d362", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float16", uniform(-1.0, 1.0)),
    )


@case("sign/5c6b67f5", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.66, threads=1))
