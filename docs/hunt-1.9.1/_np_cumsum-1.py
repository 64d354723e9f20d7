"""_np_cumsum, forward, on MXNet 1.9.1: 2.14 times as slow as a neighbour that does equal work.

slow       101 us a call, where 45.7 us were expected
fast       45.7 us a call
step       axes 0 and 1 exchanged
ratio      2.14 times, 95% interval 1.90 to 2.29, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.14 times: axes 0 and 1 exchanged
roofline   5.96 times: this machine can move and compute as much in that time

Measure it again: python _np_cumsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_cumsum/6c552e8c", profile="finding")
def slow():
    return dict(
        a=tensor((67, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("_np_cumsum/2fed1c9e", profile="contrast")
def fast():
    return dict(
        a=tensor((256, 67), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.46, threads=1))
