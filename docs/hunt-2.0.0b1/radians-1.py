"""radians, backward, on MXNet 2.0.0b1: 2.85 times as slow as a neighbour that does equal work.

slow       129 us a call, where 45.3 us were expected
fast       45.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.85 times, 95% interval 2.61 to 2.95, with 1 thread
family     float16
also       forward, 6.72 times
neighbour  2.85 times: float32: as many elements, 2 times the bytes
roofline   10.1 times: this machine can move and compute as much in that time

Measure it again: python radians-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.69 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="radians",
    category="trigonometric",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.69, threads=1))
