"""tile, forward, on MXNet 1.9.1: 2.42 times as slow as a neighbour that does equal work.

slow       106 us a call, where 43.7 us were expected
fast       43.7 us a call
step       data.shape[0] of 1 and data.shape[1] of 4,096
ratio      2.42 times, 95% interval 2.32 to 2.47, with 1 thread
family     the last dimension but one is 2 or more, and reps[-1] is 2 or more, and reps[-2] is 1, and 4,092
           elements or more, and the last dimension is 2 or more
also       backward, 1.91 times
neighbour  2.42 times: data.shape[0] of 1 and data.shape[1] of 4,096
model      3.51 times: half of 130 other inputs lie within a factor of 1.39 of it
roofline   8.87 times: this machine can move and compute as much in that time

Measure it again: python tile-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="tile",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("tile/ab0e05e5", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 4), "float32", uniform(-1.0, 1.0)),
        reps=(1, 2),
    )


@case("tile/65505f39", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
        reps=(1, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.56, threads=1))
