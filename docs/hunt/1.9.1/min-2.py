"""min, forward, on MXNet 1.9.1: 3.08 times as slow as a neighbour that does equal work.

slow       7,467 us a call, where 2,427 us were expected
fast       2,427 us a call
step       axis=2
ratio      3.08 times, 95% interval 3.06 to 3.10, with 1 thread
family     axis=(1,)
neighbour  3.08 times: axis=2 takes 32% of the time
model      3.64 times: half of 40 other inputs lie within a factor of 1.10 of it
roofline   133 times: this machine can move and compute as much in that time

Measure it again: python min-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="min",
    category="reduction",
    mxnet="1.9.1",
    seed=1,
)


@case("min/e44cc7ac", profile="finding")
def slow():
    return dict(
        data=tensor((64, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("min/6dfadfca", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 64, 64), "float32", uniform(-1.0, 1.0)),
        axis=(2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.76, threads=1))
