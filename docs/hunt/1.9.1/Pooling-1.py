"""Pooling, backward, on MXNet 1.9.1: 1.92 times as slow as a neighbour that does equal work.

slow       123 us a call, where 61.3 us were expected
fast       61.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.92 times, 95% interval 1.80 to 2.03, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.92 times: float32: as many elements, 2 times the bytes
roofline   10.7 times: this machine can move and compute as much in that time
forward    1.70 times: the forward pass of the same input

Measure it again: python Pooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/d1c9aa2e", profile="finding")
def slow():
    return dict(
        data=tensor((2, 39, 29), "float16", uniform(-1.0, 1.0)),
        global_pool=True,
        pool_type="avg",
    )


@case("Pooling/141df5c4", profile="contrast")
def fast():
    return dict(
        data=tensor((2, 39, 29), "float32", uniform(-1.0, 1.0)),
        global_pool=True,
        pool_type="avg",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.38, threads=1))
