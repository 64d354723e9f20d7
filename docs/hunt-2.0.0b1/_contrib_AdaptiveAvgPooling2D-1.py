"""_contrib_AdaptiveAvgPooling2D, forward, on MXNet 2.0.0b1: 7.32 times as slow as a neighbour that does equal work.

slow       199 us a call, where 27.3 us were expected
fast       27.3 us a call
step       float64: as many elements, 4 times the bytes
ratio      7.32 times, 95% interval 6.66 to 7.74, with 1 thread
family     float16
also       backward, 2.15 times
neighbour  7.32 times: float64: as many elements, 4 times the bytes
roofline   16.4 times: this machine can move and compute as much in that time

Measure it again: python _contrib_AdaptiveAvgPooling2D-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_AdaptiveAvgPooling2D",
    category="pooling",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_AdaptiveAvgPooling2D/82456c06", profile="finding")
def slow():
    return dict(
        data=tensor((1, 38, 1, 112), "float16", uniform(-1.0, 1.0)),
        output_size=(3, 1),
    )


@case("_contrib_AdaptiveAvgPooling2D/e6410372", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 38, 1, 112), "float64", uniform(-1.0, 1.0)),
        output_size=(3, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.71, threads=1))
