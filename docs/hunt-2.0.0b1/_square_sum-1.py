"""_square_sum, forward, on MXNet 2.0.0b1: 14.9 times as slow as a neighbour that does equal work.

slow       269 us a call, where 18.0 us were expected
fast       18.0 us a call
step       int64: as many elements, 4 times the bytes
ratio      14.9 times, 95% interval 14.5 to 15.1, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  14.9 times: int64: as many elements, 4 times the bytes
roofline   22.2 times: this machine can move and compute as much in that time

Measure it again: python _square_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_square_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_square_sum/a77be102", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 8), "float16", uniform(-1.0, 1.0), storage="row_sparse", density=0.1),
        axis=(0,),
    )


@case("_square_sum/bfde201b", profile="contrast")
def fast():
    return dict(
        data=tensor((4096, 8), "int64", integers(0, 10), storage="row_sparse", density=0.1),
        axis=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.86, threads=1))
