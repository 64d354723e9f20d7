"""Deconvolution, forward, on MXNet 1.9.1: 3.74 times as slow as a neighbour that does equal work.

slow       263 us a call, where 70.6 us were expected
fast       35.3 us a call
step       float32: as many elements, half the bytes
ratio      3.74 times, 95% interval 3.48 to 3.80, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.74 times: float32: as many elements, half the bytes
roofline   14.9 times: this machine can move and compute as much in that time

Measure it again: python Deconvolution-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Deconvolution",
    category="convolution",
    mxnet="1.9.1",
    seed=0,
)


@case("Deconvolution/6f64271f", profile="finding")
def slow():
    return dict(
        data=tensor((1, 32, 28, 28), "float64", uniform(-1.0, 1.0)),
        weight=tensor((32, 1, 1, 1), "float64", uniform(-1.0, 1.0)),
        kernel=(1, 1),
        num_filter=1,
    )


@case("Deconvolution/c00b2315", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 32, 28, 28), "float32", uniform(-1.0, 1.0)),
        weight=tensor((32, 1, 1, 1), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 1),
        num_filter=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.87, threads=1))
