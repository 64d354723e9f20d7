"""Pooling, backward, on MXNet 1.9.1: 2.72 times as slow as a neighbour that does equal work.

slow       1,059 us a call, where 397 us were expected
fast       394 us a call
step       data.shape[2] of 146
ratio      2.72 times, 95% interval 2.53 to 2.94, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 7.97 times
neighbour  2.72 times: data.shape[2] of 146
roofline   58.6 times: this machine can move and compute as much in that time

Measure it again: python Pooling-5.py
It times both interleaved, and exits with 1 if slow takes more than 1.66 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Pooling",
    category="pooling",
    mxnet="1.9.1",
    seed=5,
)


@case("Pooling/4b36d7fd", profile="finding")
def slow():
    return dict(
        data=tensor((1, 8, 147, 56), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 1),
    )


@case("Pooling/9c1525a3", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8, 146, 56), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.66, threads=1))
