"""_square_sum, forward, on MXNet 1.9.1: 4.24 times as slow as a neighbour that does equal work.

slow       635 us a call, where 151 us were expected
fast       151 us a call
step       int64: as many elements, 2 times the bytes
ratio      4.24 times, 95% interval 4.06 to 4.42, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.24 times: int64: as many elements, 2 times the bytes
model      4.40 times: half of 40 other inputs lie within a factor of 1.43 of it
roofline   37.0 times: this machine can move and compute as much in that time

Measure it again: python _square_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.06 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_square_sum",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("_square_sum/90cbee66", profile="finding")
def slow():
    return dict(
        data=tensor((10000, 100), "float32", uniform(-1.0, 1.0), storage="row_sparse", density=0.1),
        axis=(1,),
    )


@case("_square_sum/c4d84ea7", profile="contrast")
def fast():
    return dict(
        data=tensor((10000, 100), "int64", integers(0, 10), storage="row_sparse", density=0.1),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.06, threads=1))
