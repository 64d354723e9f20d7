"""Concat, forward, on MXNet 1.9.1: 3.07 times as slow as a neighbour that does equal work.

slow       273 us a call, where 88.7 us were expected
fast       44.3 us a call
step       float32: as many elements, half the bytes
ratio      3.07 times, 95% interval 2.92 to 3.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.07 times: float32: as many elements, half the bytes
roofline   13.8 times: this machine can move and compute as much in that time

Measure it again: python Concat-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Concat",
    category="join_split",
    mxnet="1.9.1",
    seed=0,
)


@case("Concat/9289ed7c", profile="finding")
def slow():
    return dict(
        data=[tensor((32, 256), "float64", uniform(-1.0, 1.0)), tensor((32, 512), "float64", uniform(-1.0, 1.0))],
        num_args=2,
    )


@case("Concat/6beacbdf", profile="contrast")
def fast():
    return dict(
        data=[tensor((32, 256), "float32", uniform(-1.0, 1.0)), tensor((32, 512), "float32", uniform(-1.0, 1.0))],
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.5, threads=1))
