"""sum, forward, on MXNet 1.9.1: 2.15 times as slow as a neighbour that does equal work.

slow       164 us a call, where 75.8 us were expected
fast       75.8 us a call
step       data.shape[0] of 1 and data.shape[2] of 256
ratio      2.15 times, 95% interval 2.05 to 2.18, with 1 thread
family     dimension -3 is 2 or more, and axis is not the first, and axis is not the last, and the last
           dimension is 4 or more, and the length along axis is 8 or more, and a dtype other than float64
neighbour  2.15 times: data.shape[0] of 1 and data.shape[2] of 256
model      1.98 times: half of 71 other inputs lie within a factor of 1.52 of it
roofline   7.91 times: this machine can move and compute as much in that time

Measure it again: python sum-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="sum",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("sum/8685dd08", profile="finding")
def slow():
    return dict(
        data=tensor((4, 64, 64), "int32", integers(0, 10)),
        axis=(1,),
    )


@case("sum/438e35b9", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 64, 256), "int32", integers(0, 10)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.47, threads=1))
