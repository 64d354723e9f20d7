"""softmax, forward, on MXNet 1.9.1: 8.35 times as slow as a neighbour that does equal work.

slow       166 us a call, where 20.3 us were expected
fast       20.3 us a call
step       axes 0 and 1 made one
ratio      8.35 times, 95% interval 8.15 to 8.62, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.57 times
neighbour  8.35 times: axes 0 and 1 made one
roofline   10.3 times: this machine can move and compute as much in that time

Measure it again: python softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.89 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("softmax/1bf65687", profile="finding")
def slow():
    return dict(
        data=tensor((8192, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("softmax/02893a93", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.89, threads=1))
