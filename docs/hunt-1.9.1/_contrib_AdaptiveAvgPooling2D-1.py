"""_contrib_AdaptiveAvgPooling2D, backward, on MXNet 1.9.1: 3.77 times as slow as a neighbour that does equal work.

slow       181 us a call, where 47.5 us were expected
fast       47.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.77 times, 95% interval 3.60 to 3.95, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 12.7 times
neighbour  3.77 times: float32: as many elements, 2 times the bytes
roofline   11.6 times: this machine can move and compute as much in that time

Measure it again: python _contrib_AdaptiveAvgPooling2D-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.94 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_AdaptiveAvgPooling2D",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_AdaptiveAvgPooling2D/25e7fa85", profile="finding")
def slow():
    return dict(
        data=tensor((1, 64, 1, 112), "float16", uniform(-1.0, 1.0)),
        output_size=(3, 1),
    )


@case("_contrib_AdaptiveAvgPooling2D/78cff438", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 64, 1, 112), "float32", uniform(-1.0, 1.0)),
        output_size=(3, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.94, threads=1))
