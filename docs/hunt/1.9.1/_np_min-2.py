"""_np_min, forward, on MXNet 1.9.1: 3.03 times as slow as a neighbour that does equal work.

slow       11,304 us a call, where 2,581 us were expected
fast       2,542 us a call
step       a.shape[0] of 1 and a.shape[1] of 4,096
ratio      3.03 times, 95% interval 2.57 to 3.62, with 1 thread
family     a.shape[0] > 1 and a.shape[1] < 4,096
neighbour  4.38 times: a.shape[0] of 1 and a.shape[1] of 4,096 takes 23% of the time
model      5.75 times: half of 40 other inputs lie within a factor of 1.13 of it
roofline   201 times: this machine can move and compute as much in that time

Measure it again: python _np_min-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_min",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("_np_min/b8295bfc", profile="finding")
def slow():
    return dict(
        a=tensor((64, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_np_min/32b715e4", profile="contrast")
def fast():
    return dict(
        a=tensor((1, 4096, 64), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
