"""_np_cumsum, forward, on MXNet 1.9.1: 7.37 times as slow as a neighbour that does equal work.

slow       24,389 us a call, where 3,315 us were expected
fast       3,315 us a call
step       axis=1
ratio      7.37 times, 95% interval 7.31 to 7.44, with 1 thread
family     axis is not the last and dtype is float32 or float64 or int32 or int64 or int8 and a.shape[-2] <=
           2,048
neighbour  7.36 times: axis=1 takes 14% of the time
model      7.16 times: half of 40 other inputs lie within a factor of 1.36 of it
roofline   75.1 times: this machine can move and compute as much in that time

Measure it again: python _np_cumsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=1,
)


@case("_np_cumsum/bb9bdfa1", profile="finding")
def slow():
    return dict(
        a=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("_np_cumsum/22212ae8", profile="contrast")
def fast():
    return dict(
        a=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.71, threads=1))
