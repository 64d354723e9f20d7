"""_square_sum, forward, on MXNet 2.0.0b1: 7.42 times as slow as a neighbour that does equal work.

slow       208 us a call, where 27.5 us were expected
fast       23.2 us a call
step       data.shape[0] of 1 and data.shape[1] of 262,144
ratio      7.42 times, 95% interval 7.20 to 7.61, with 1 thread
family     dtype is float32 or float16 and 4,096 <= data.shape[0] <= 16,384 and data.shape[1] >= 64
neighbour  7.56 times: data.shape[0] of 1 and data.shape[1] of 262,144 takes 13% of the time
model      2.56 times: half of 40 other inputs lie within a factor of 1.22 of it
roofline   9.20 times: this machine can move and compute as much in that time

Measure it again: python _square_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.23 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_square_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_square_sum/176a76d2", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 64), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.1),
        axis=(1,),
    )


@case("_square_sum/8eb17a5d", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 262144), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.1),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.23, threads=1))
