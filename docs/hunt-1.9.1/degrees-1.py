"""degrees, forward, on MXNet 1.9.1: 6.81 times as slow as a neighbour that does equal work.

slow       129 us a call, where 18.9 us were expected
fast       18.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      6.81 times, 95% interval 6.64 to 6.92, with 1 thread
family     float16 or uint8 or int64 or int32
also       backward, 3.51 times
neighbour  6.81 times: float64: as many elements, 4 times the bytes
model      3.89 times: half of 24 other inputs lie within a factor of 1.22 of it
roofline   7.99 times: this machine can move and compute as much in that time

Measure it again: python degrees-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="degrees",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("degrees/4d38e6d2", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("degrees/e1c9025a", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.61, threads=1))
