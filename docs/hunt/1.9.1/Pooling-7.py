"""Pooling, backward, on MXNet 1.9.1: 2.17 times as slow as a neighbour that does equal work.

slow       837 us a call, where 389 us were expected
fast       389 us a call
step       layout=NCHW
ratio      2.17 times, 95% interval 2.07 to 2.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 3.55 times
neighbour  2.17 times: layout=NCHW
roofline   34.8 times: this machine can move and compute as much in that time

Measure it again: python Pooling-7.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/682bc76f", profile="finding")
def slow():
    return dict(
        data=tensor((1, 56, 56, 64), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        layout="NHWC",
        stride=(2, 2),
    )


@case("Pooling/b7bad5ef", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 56, 56, 64), "float32", uniform(-1.0, 1.0)),
        kernel=(2, 2),
        layout="NCHW",
        stride=(2, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.47, threads=1))
