"""sin, backward, on MXNet 2.0.0b1: 2.21 times as slow as a neighbour that does equal work.

slow       122 us a call, where 54.1 us were expected
fast       54.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.21 times, 95% interval 2.06 to 2.28, with 1 thread
family     float16
neighbour  2.21 times: float32: as many elements, 2 times the bytes
roofline   10.0 times: this machine can move and compute as much in that time
forward    2.29 times: the forward pass of the same input

Measure it again: python sin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sin",
    category="trigonometric",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.49, threads=1))
