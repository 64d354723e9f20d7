"""_contrib_gradientmultiplier, backward, on MXNet 1.9.1: 2.36 times as slow as a neighbour that does equal work.

slow       92.3 us a call, where 39.0 us were expected
fast       39.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.36 times, 95% interval 2.33 to 2.41, with 1 thread
family     float16
neighbour  2.36 times: float64: as many elements, 4 times the bytes
roofline   5.85 times: this machine can move and compute as much in that time
forward    2.46 times: the forward pass of the same input

Measure it again: python _contrib_gradientmultiplier-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_gradientmultiplier",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_gradientmultiplier/4f629cc0", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_gradientmultiplier/a76159d6", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
