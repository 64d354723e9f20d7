"""radians, forward, on MXNet 1.9.1: 7.09 times as slow as a neighbour that does equal work.

slow       130 us a call, where 18.4 us were expected
fast       18.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.09 times, 95% interval 6.49 to 7.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 3.87 times
neighbour  7.09 times: float32: as many elements, 2 times the bytes
model      4.54 times: half of 16 other inputs lie within a factor of 1.18 of it
roofline   8.07 times: this machine can move and compute as much in that time

Measure it again: python radians-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.66 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="radians",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("radians/e67fa15e", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("radians/5b6b7945", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.66, threads=1))
