"""MakeLoss, backward, on MXNet 1.9.1: 20.1 times as slow as a neighbour that does equal work.

slow       849 us a call, where 42.6 us were expected
fast       42.6 us a call
step       normalization=batch
ratio      20.1 times, 95% interval 19.1 to 20.7, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  20.1 times: normalization=batch
roofline   52.6 times: this machine can move and compute as much in that time
forward    20.2 times: the forward pass of the same input

Measure it again: python MakeLoss-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="MakeLoss",
    category="loss",
    mxnet="1.9.1",
    seed=0,
)


@case("MakeLoss/5662b6d9", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        normalization="valid",
    )


@case("MakeLoss/8af799fe", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        normalization="batch",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=4.49, threads=1))
