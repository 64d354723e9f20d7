"""FullyConnected, forward, on MXNet 1.9.1: 2.41 times as slow as a neighbour that does equal work.

slow       560 us a call, where 238 us were expected
fast       119 us a call
step       float32: as many elements, half the bytes
ratio      2.41 times, 95% interval 2.16 to 2.61, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.41 times: float32: as many elements, half the bytes
roofline   5.40 times: this machine can move and compute as much in that time

Measure it again: python FullyConnected-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.1 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="FullyConnected",
    category="nn_basic",
    mxnet="1.9.1",
    seed=0,
)


@case("FullyConnected/b6481cfb", profile="finding")
def slow():
    return dict(
        data=tensor((1, 10000), "float64", uniform(-1.0, 1.0)),
        weight=tensor((100, 10000), "float64", uniform(-1.0, 1.0)),
        no_bias=True,
        num_hidden=100,
    )


@case("FullyConnected/e683105c", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 10000), "float32", uniform(-1.0, 1.0)),
        weight=tensor((100, 10000), "float32", uniform(-1.0, 1.0)),
        no_bias=True,
        num_hidden=100,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.1, threads=1))
