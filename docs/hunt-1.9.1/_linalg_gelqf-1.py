"""_linalg_gelqf, backward, on MXNet 1.9.1: 2.39 times as slow as a neighbour that does equal work.

slow       250 us a call, where 102 us were expected
fast       50.8 us a call
step       axes 0 and 2 exchanged
ratio      2.39 times, 95% interval 2.31 to 2.50, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 3.72 times
neighbour  2.39 times: axes 0 and 2 exchanged
roofline   16.1 times: this machine can move and compute as much in that time
forward    1.85 times: the forward pass of the same input

Measure it again: python _linalg_gelqf-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_linalg_gelqf",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_linalg_gelqf/cd30ab9b", profile="finding")
def slow():
    return dict(
        A=tensor((1000, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("_linalg_gelqf/5f0eb32b", profile="contrast")
def fast():
    return dict(
        A=tensor((1, 1, 1000), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=3.09, threads=1))
