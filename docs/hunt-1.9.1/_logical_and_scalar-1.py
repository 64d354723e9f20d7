"""_logical_and_scalar, forward, on MXNet 1.9.1: 5.59 times as slow as a neighbour that does equal work.

slow       313 us a call, where 55.7 us were expected
fast       55.7 us a call
step       int32: as many elements, as many bytes
ratio      5.59 times, 95% interval 5.17 to 5.83, with 1 thread
family     float32 or float64 or float16, and scalar=1, and 23,658 elements or more
neighbour  5.59 times: int32: as many elements, as many bytes
roofline   14.8 times: this machine can move and compute as much in that time

Measure it again: python _logical_and_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.37 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_logical_and_scalar",
    category="logical",
    mxnet="1.9.1",
    seed=0,
)


@case("_logical_and_scalar/df7351b1", profile="finding")
def slow():
    return dict(
        data=tensor((64, 1024), "float32", mask(0.5)),
        is_int=True,
        scalar=1.0,
    )


@case("_logical_and_scalar/1ba6a814", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 1024), "int32", mask(0.5)),
        is_int=True,
        scalar=1.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.37, threads=1))
