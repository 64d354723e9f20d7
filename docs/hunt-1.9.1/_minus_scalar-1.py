"""_minus_scalar, forward, on MXNet 1.9.1: 7.36 times as slow as a neighbour that does equal work.

slow       143 us a call, where 19.4 us were expected
fast       19.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      7.36 times, 95% interval 7.27 to 7.47, with 1 thread
family     float16
neighbour  7.36 times: int32: as many elements, 2 times the bytes
roofline   8.83 times: this machine can move and compute as much in that time

Measure it again: python _minus_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_minus_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_minus_scalar/85d17365", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_minus_scalar/bf9e21dc", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.71, threads=1))
