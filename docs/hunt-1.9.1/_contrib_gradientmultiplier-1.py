"""_contrib_gradientmultiplier, backward, on MXNet 1.9.1: 4.50 times as slow as a neighbour that does equal work.

slow       632 us a call, where 140 us were expected
fast       140 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.50 times, 95% interval 4.28 to 4.67, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.50 times: float32: as many elements, 2 times the bytes
model      3.91 times: half of 24 other inputs lie within a factor of 1.04 of it
roofline   42.7 times: this machine can move and compute as much in that time
forward    15.0 times: the forward pass of the same input

Measure it again: python _contrib_gradientmultiplier-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.12 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_gradientmultiplier",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_gradientmultiplier/13097300", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_gradientmultiplier/b71dac0a", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.12, threads=1))
