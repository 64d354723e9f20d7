"""_square_sum, forward, on MXNet 1.9.1: 4.68 times as slow as a neighbour that does equal work.

slow       227 us a call, where 48.9 us were expected
fast       48.9 us a call
step       data.shape[0] of 1 and data.shape[1] of 58,166
ratio      4.68 times, 95% interval 4.60 to 4.74, with 1 thread
family     axis is 0 and dtype is not float16 and data.shape[0] >= 58,166
neighbour  4.63 times: data.shape[0] of 1 and data.shape[1] of 58,166 takes 22% of the time
model      3.75 times: half of 40 other inputs lie within a factor of 1.09 of it
roofline   7.54 times: this machine can move and compute as much in that time

Measure it again: python _square_sum-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.16 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_square_sum",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("_square_sum/156613e0", profile="finding")
def slow():
    return dict(
        data=tensor((58166, 1), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.5),
        axis=(0,),
    )


@case("_square_sum/5be10d22", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 58166), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.5),
        axis=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.16, threads=1))
