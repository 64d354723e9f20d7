"""Pooling, backward, on MXNet 1.9.1: 2.09 times as slow as a neighbour that does equal work.

slow       113 us a call, where 54.6 us were expected
fast       54.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.09 times, 95% interval 1.91 to 2.22, with 1 thread
family     float16, and pool_type other than max
neighbour  2.09 times: float64: as many elements, 4 times the bytes
roofline   5.68 times: this machine can move and compute as much in that time
forward    2.72 times: the forward pass of the same input

Measure it again: python Pooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/91a4db9c", profile="finding")
def slow():
    return dict(
        data=tensor((3, 32, 29), "float16", uniform(-1.0, 1.0)),
        global_pool=True,
        pool_type="avg",
    )


@case("Pooling/8e8aad0f", profile="contrast")
def fast():
    return dict(
        data=tensor((3, 32, 29), "float64", uniform(-1.0, 1.0)),
        global_pool=True,
        pool_type="avg",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
