"""softmax_cross_entropy, forward, on MXNet 1.9.1: 3.95 times as slow as a neighbour that does equal work.

slow       79.1 us a call, where 20.1 us were expected
fast       20.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.95 times, 95% interval 3.82 to 4.08, with 1 thread
family     float16
also       backward, 2.31 times
neighbour  3.95 times: float64: as many elements, 4 times the bytes
roofline   5.12 times: this machine can move and compute as much in that time

Measure it again: python softmax_cross_entropy-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax_cross_entropy",
    category="loss",
    mxnet="1.9.1",
    seed=0,
)


@case("softmax_cross_entropy/87fdebc3", profile="finding")
def slow():
    return dict(
        data=tensor((4, 256), "float16", uniform(-1.0, 1.0)),
        label=tensor((4,), "float16", integers(0, 4)),
    )


@case("softmax_cross_entropy/a8eab9a6", profile="contrast")
def fast():
    return dict(
        data=tensor((4, 256), "float64", uniform(-1.0, 1.0)),
        label=tensor((4,), "float64", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.99, threads=1))
