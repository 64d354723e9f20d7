"""_np_cumsum, forward, on MXNet 1.9.1: 2.44 times as slow as a neighbour that does equal work.

slow       11,488 us a call, where 4,719 us were expected
fast       4,719 us a call
step       a.shape[0] of 1 and a.shape[1] of 34,400
ratio      2.44 times, 95% interval 2.40 to 2.48, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.88 times
neighbour  2.44 times: a.shape[0] of 1 and a.shape[1] of 34,400
roofline   7.75 times: this machine can move and compute as much in that time

Measure it again: python _np_cumsum-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=5,
)


@case("_np_cumsum/b2fc1e98", profile="finding")
def slow():
    return dict(
        a=tensor((4300, 8, 1, 61), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("_np_cumsum/e8efefc1", profile="contrast")
def fast():
    return dict(
        a=tensor((1, 34400, 1, 61), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.56, threads=1))
