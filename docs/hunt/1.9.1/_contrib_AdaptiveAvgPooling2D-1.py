"""_contrib_AdaptiveAvgPooling2D, backward, on MXNet 1.9.1: 2.77 times as slow as a neighbour that does equal work.

slow       204 us a call, where 74.0 us were expected
fast       69.1 us a call
step       axes 1 and 3 exchanged
ratio      2.77 times, 95% interval 2.71 to 2.82, with 1 thread
family     dtype is not float16 and data.shape[2] <= 28 and data.shape[3] <= 1
neighbour  2.76 times: axes 1 and 3 exchanged takes 36% of the time
model      1.54 times: half of 31 other inputs lie within a factor of 1.56 of it
roofline   9.38 times: this machine can move and compute as much in that time

Measure it again: python _contrib_AdaptiveAvgPooling2D-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_AdaptiveAvgPooling2D",
    category="pooling",
    mxnet="1.9.1",
    seed=1,
)


@case("_contrib_AdaptiveAvgPooling2D/20af57dc", profile="finding")
def slow():
    return dict(
        data=tensor((8, 256, 14, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("_contrib_AdaptiveAvgPooling2D/2c15e392", profile="contrast")
def fast():
    return dict(
        data=tensor((8, 1, 14, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.78, threads=1))
