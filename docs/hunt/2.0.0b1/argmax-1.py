"""argmax, forward, on MXNet 2.0.0b1: 3.14 times as slow as a neighbour that does equal work.

slow       116 us a call, where 37.0 us were expected
fast       37.0 us a call
step       int32
ratio      3.14 times, 95% interval 3.07 to 3.17, with 1 thread
family     dtype is float16
neighbour  3.13 times: int32 takes 32% of the time
model      1.99 times: half of 40 other inputs lie within a factor of 1.06 of it
roofline   6.39 times: this machine can move and compute as much in that time
kin        2.71 times: topk(k=1) of the same input

Measure it again: python argmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="2.0.0b1",
    seed=1,
)


@case("argmax/b6f996ef", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("argmax/e320952c", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
