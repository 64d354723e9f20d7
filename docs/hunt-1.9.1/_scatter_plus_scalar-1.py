"""_scatter_plus_scalar, forward, on MXNet 1.9.1: 7.22 times as slow as a neighbour that does equal work.

slow       189 us a call, where 26.1 us were expected
fast       26.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      7.22 times, 95% interval 6.95 to 7.43, with 1 thread
family     float16
neighbour  7.22 times: int32: as many elements, 2 times the bytes
roofline   11.7 times: this machine can move and compute as much in that time

Measure it again: python _scatter_plus_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.69 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_scatter_plus_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_scatter_plus_scalar/f7838b9c", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_scatter_plus_scalar/59e823b7", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.69, threads=1))
