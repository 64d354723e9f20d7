"""_square_sum, forward, on MXNet 1.9.1: 11.8 times as slow as a neighbour that does equal work.

slow       330 us a call, where 27.5 us were expected
fast       24.5 us a call
step       data.shape[0] of 1 and data.shape[1] of 409,600
ratio      11.8 times, 95% interval 11.2 to 12.2, with 1 thread
family     axis is the last and data.shape[0] <= 32,768 and data.shape[0] > 1 and data.shape[1] < 409,600
neighbour  12.0 times: data.shape[0] of 1 and data.shape[1] of 409,600 takes 8% of the time
model      3.04 times: half of 40 other inputs lie within a factor of 1.09 of it
roofline   13.8 times: this machine can move and compute as much in that time

Measure it again: python _square_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.85 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_square_sum",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("_square_sum/1b48fdc9", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 100), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.1),
        axis=(1,),
    )


@case("_square_sum/b0169c48", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 409600), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.1),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.85, threads=1))
