"""_np_cumsum, backward, on MXNet 1.9.1: 4.55 times as slow as a neighbour that does equal work.

slow       5,153 us a call, where 1,083 us were expected
fast       1,083 us a call
step       axis=0
ratio      4.55 times, 95% interval 4.43 to 4.67, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 4.65 times
neighbour  4.55 times: axis=0
model      1.65 times: half of 38 other inputs lie within a factor of 1.23 of it
roofline   44.2 times: this machine can move and compute as much in that time

Measure it again: python _np_cumsum-4.py
It times both interleaved, and exits with 1 if slow takes more than 2.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=5,
)


@case("_np_cumsum/a6d4349e", profile="finding")
def slow():
    return dict(
        a=tensor((4, 4, 1075, 61), "float32", uniform(-1.0, 1.0)),
        axis=2,
    )


@case("_np_cumsum/3cf7b219", profile="contrast")
def fast():
    return dict(
        a=tensor((4, 4, 1075, 61), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.13, threads=1))
