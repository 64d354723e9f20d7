"""Deconvolution, forward, on MXNet 2.0.0b1: 2.39 times as slow as a neighbour that does equal work.

slow       173 us a call, where 65.4 us were expected
fast       64.4 us a call
step       no no_bias
ratio      2.39 times, 95% interval 2.18 to 2.65, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.39 times: no no_bias
roofline   8.16 times: this machine can move and compute as much in that time

Measure it again: python Deconvolution-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Deconvolution",
    category="convolution",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Deconvolution/bdabdb19", profile="finding")
def slow():
    return dict(
        data=tensor((1, 32, 2, 112), "float32", uniform(-1.0, 1.0)),
        weight=tensor((32, 16, 2, 2), "float32", uniform(-1.0, 1.0)),
        bias=tensor((16,), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        no_bias=False,
        num_filter=16,
        stride=(2, 2),
    )


@case("Deconvolution/a4d15440", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 32, 2, 112), "float32", uniform(-1.0, 1.0)),
        weight=tensor((32, 16, 2, 2), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        num_filter=16,
        stride=(2, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.57, threads=1))
