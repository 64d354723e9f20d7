"""_contrib_AdaptiveAvgPooling2D, backward, on MXNet 2.0.0b1: 5.11 times as slow as a neighbour that does equal work.

slow       767 us a call, where 151 us were expected
fast       151 us a call
step       data.shape[2] of 28
ratio      5.11 times, 95% interval 5.01 to 5.22, with 1 thread
family     output_size=(1,) and dtype is float32 and data.shape[0] <= 2 and data.shape[1] <= 64 and
           data.shape[2] == 14 and data.shape[3] == 28
neighbour  5.06 times: data.shape[2] of 28 takes 20% of the time
model      5.69 times: half of 31 other inputs lie within a factor of 1.48 of it
roofline   35.3 times: this machine can move and compute as much in that time
forward    10.4 times: the forward pass of the same input

Measure it again: python _contrib_AdaptiveAvgPooling2D-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.26 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_AdaptiveAvgPooling2D",
    category="pooling",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_AdaptiveAvgPooling2D/3cd5a557", profile="finding")
def slow():
    return dict(
        data=tensor((1, 64, 14, 28), "float32", uniform(-1.0, 1.0)),
        output_size=(1,),
    )


@case("_contrib_AdaptiveAvgPooling2D/48006934", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 64, 28, 28), "float32", uniform(-1.0, 1.0)),
        output_size=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.26, threads=1))
