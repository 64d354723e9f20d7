"""sin, backward, on MXNet 1.9.1: 3.20 times as slow as a neighbour that does equal work.

slow       148 us a call, where 45.9 us were expected
fast       45.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.20 times, 95% interval 3.03 to 3.31, with 1 thread
family     float16
also       forward, 3.29 times
neighbour  3.20 times: float32: as many elements, 2 times the bytes
roofline   9.45 times: this machine can move and compute as much in that time
forward    1.70 times: the forward pass of the same input

Measure it again: python sin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sin",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("sin/b8326fe1", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("sin/4610d710", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.79, threads=1))
