"""_plus_scalar, forward, on MXNet 1.9.1: 4.02 times as slow as a neighbour that does equal work.

slow       95.7 us a call, where 25.8 us were expected
fast       25.8 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.02 times, 95% interval 2.48 to 7.30, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.02 times: int32: as many elements, 2 times the bytes
model      3.14 times: half of 40 other inputs lie within a factor of 1.23 of it
roofline   7.99 times: this machine can move and compute as much in that time

Measure it again: python _plus_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_plus_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_plus_scalar/4dfc9f5c", profile="finding")
def slow():
    return dict(
        data=tensor((10000,), "float16", uniform(-1.0, 1.0)),
    )


@case("_plus_scalar/43b2d03a", profile="contrast")
def fast():
    return dict(
        data=tensor((10000,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.01, threads=1))
