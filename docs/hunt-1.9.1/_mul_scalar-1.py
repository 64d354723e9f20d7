"""_mul_scalar, forward, on MXNet 1.9.1: 6.09 times as slow as a neighbour that does equal work.

slow       132 us a call, where 21.6 us were expected
fast       21.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      6.09 times, 95% interval 5.57 to 6.42, with 1 thread
family     float16
neighbour  6.09 times: int64: as many elements, 4 times the bytes
roofline   8.17 times: this machine can move and compute as much in that time

Measure it again: python _mul_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_mul_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_mul_scalar/b3130ff0", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_mul_scalar/b2ca83bc", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.47, threads=1))
