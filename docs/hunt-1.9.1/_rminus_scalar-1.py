"""_rminus_scalar, forward, on MXNet 1.9.1: 6.21 times as slow as a neighbour that does equal work.

slow       197 us a call, where 31.5 us were expected
fast       31.5 us a call
step       int64: as many elements, 4 times the bytes
ratio      6.21 times, 95% interval 5.76 to 6.46, with 1 thread
family     float16
neighbour  6.21 times: int64: as many elements, 4 times the bytes
roofline   12.2 times: this machine can move and compute as much in that time

Measure it again: python _rminus_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_rminus_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_rminus_scalar/b6150326", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_rminus_scalar/314d93e4", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.49, threads=1))
