"""_greater_scalar, forward, on MXNet 2.0.0b1: 2.88 times as slow as a neighbour that does equal work.

slow       134 us a call, where 46.0 us were expected
fast       46.0 us a call
step       float64: as many elements, as many bytes
ratio      2.88 times, 95% interval 2.75 to 3.36, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.88 times: float64: as many elements, as many bytes
roofline   5.33 times: this machine can move and compute as much in that time

Measure it again: python _greater_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_greater_scalar",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_greater_scalar/47d17d2e", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "int64", integers(0, 4)),
        is_int=False,
    )


@case("_greater_scalar/f7b159b1", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "float64", integers(0, 4)),
        is_int=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.7, threads=1))
