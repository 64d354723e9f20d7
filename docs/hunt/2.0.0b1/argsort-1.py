"""argsort, forward, on MXNet 2.0.0b1: 2.46 times as slow as a neighbour that does equal work.

slow       95.8 us a call, where 38.9 us were expected
fast       38.9 us a call
step       axis=1
ratio      2.46 times, 95% interval 2.40 to 2.52, with 1 thread
family     axis is not the last
neighbour  2.46 times: axis=1 takes 41% of the time
model      1.21 times: half of 39 other inputs lie within a factor of 1.35 of it
roofline   5.28 times: this machine can move and compute as much in that time

Measure it again: python argsort-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argsort",
    category="sorting",
    mxnet="2.0.0b1",
    seed=1,
)


@case("argsort/6247f28a", profile="finding")
def slow():
    return dict(
        data=tensor((16, 32), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("argsort/64eb8348", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 32), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.57, threads=1))
