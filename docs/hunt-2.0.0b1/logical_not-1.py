"""logical_not, forward, on MXNet 2.0.0b1: 4.78 times as slow as a neighbour that does equal work.

slow       293 us a call, where 61.4 us were expected
fast       61.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.78 times, 95% interval 4.23 to 5.00, with 1 thread
family     float16 or int64
neighbour  4.78 times: int32: as many elements, 2 times the bytes
roofline   11.6 times: this machine can move and compute as much in that time

Measure it again: python logical_not-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.19 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="logical_not",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("logical_not/7c1fc4c2", profile="finding")
def slow():
    return dict(
        data=tensor((262144,), "float16", mask(0.5)),
    )


@case("logical_not/b741118a", profile="contrast")
def fast():
    return dict(
        data=tensor((262144,), "int32", mask(0.5)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.19, threads=1))
