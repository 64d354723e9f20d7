"""_square_sum, forward, on MXNet 1.9.1: 17.7 times as slow as a neighbour that does equal work.

slow       338 us a call, where 18.8 us were expected
fast       18.8 us a call
step       int32: as many elements, 2 times the bytes
ratio      17.7 times, 95% interval 16.7 to 18.3, with 1 thread
family     float16, and the length along axis is 7 or more
neighbour  17.7 times: int32: as many elements, 2 times the bytes
roofline   21.7 times: this machine can move and compute as much in that time

Measure it again: python _square_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.21 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_square_sum",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("_square_sum/a77be102", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 8), "float16", uniform(-1.0, 1.0), storage="row_sparse", density=0.1),
        axis=(0,),
    )


@case("_square_sum/7cbed765", profile="contrast")
def fast():
    return dict(
        data=tensor((4096, 8), "int32", integers(0, 10), storage="row_sparse", density=0.1),
        axis=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.21, threads=1))
