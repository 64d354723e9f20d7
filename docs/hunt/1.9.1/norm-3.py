"""norm, forward, on MXNet 1.9.1: 2.29 times as slow as a neighbour that does equal work.

slow       423 us a call, where 185 us were expected
fast       185 us a call
step       axes 0 and 1 exchanged
ratio      2.29 times, 95% interval 2.22 to 2.36, with 1 thread
family     axis is not the first, and axis is not the last, and the last dimension is 2 or more, and the last
           dimension but one is 4 or more, and the first dimension is 2 or more
neighbour  2.29 times: axes 0 and 1 exchanged
model      2.71 times: half of 93 other inputs lie within a factor of 1.34 of it
roofline   32.5 times: this machine can move and compute as much in that time

Measure it again: python norm-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="norm",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("norm/a66e571f", profile="finding")
def slow():
    return dict(
        data=tensor((9, 1820, 2), "int32", integers(0, 10)),
        axis=(1,),
        keepdims=False,
        ord=1,
    )


@case("norm/cb881fad", profile="contrast")
def fast():
    return dict(
        data=tensor((1820, 9, 2), "int32", integers(0, 10)),
        axis=(0,),
        keepdims=False,
        ord=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.51, threads=1))
