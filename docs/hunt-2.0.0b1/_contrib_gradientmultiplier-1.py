"""_contrib_gradientmultiplier, backward, on MXNet 2.0.0b1: 4.54 times as slow as a neighbour that does equal work.

slow       215 us a call, where 47.9 us were expected
fast       47.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.54 times, 95% interval 4.44 to 4.72, with 1 thread
family     float16
neighbour  4.54 times: float32: as many elements, 2 times the bytes
roofline   15.7 times: this machine can move and compute as much in that time
forward    6.85 times: the forward pass of the same input

Measure it again: python _contrib_gradientmultiplier-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_gradientmultiplier",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_gradientmultiplier/2af69151", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_gradientmultiplier/c0bf0e7c", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.13, threads=1))
