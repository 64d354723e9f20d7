"""_contrib_RROIAlign, forward, on MXNet 1.9.1: 3.48 times as slow as a neighbour that does equal work.

slow       125 us a call, where 35.1 us were expected
fast       35.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.48 times, 95% interval 3.24 to 3.82, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.48 times: float64: as many elements, 4 times the bytes
roofline   8.07 times: this machine can move and compute as much in that time

Measure it again: python _contrib_RROIAlign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_RROIAlign",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_RROIAlign/b24a0e43", profile="finding")
def slow():
    return dict(
        data=tensor((1, 8, 1, 1), "float16", uniform(-1.0, 1.0)),
        rois=tensor((4, 6), "float16", literal(0.0, 64.0, 64.0, 32.0, 32.0, 0.0, 0.0, 64.0, 64.0, 33.0, 33.0, 30.0, 0.0, 64.0, 64.0, 34.0, 34.0, 60.0, 0.0, 64.0, 64.0, 35.0, 35.0, 90.0, 0.0, 64.0, 64.0, 36.0, 36.0, 120.0, 0.0, 64.0, 64.0, 37.0, 37.0, 150.0, 0.0, 64.0, 64.0, 38.0, 38.0, 180.0, 0.0, 64.0, 64.0, 39.0, 39.0, 210.0, 0.0, 64.0, 64.0, 40.0, 40.0, 240.0, 0.0, 64.0, 64.0, 41.0, 41.0, 270.0, 0.0, 64.0, 64.0, 42.0, 42.0, 300.0, 0.0, 64.0, 64.0, 43.0, 43.0, 330.0)),
        pooled_size=(1, 7),
        spatial_scale=0.0625,
    )


@case("_contrib_RROIAlign/0500d8ef", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8, 1, 1), "float64", uniform(-1.0, 1.0)),
        rois=tensor((4, 6), "float64", literal(0.0, 64.0, 64.0, 32.0, 32.0, 0.0, 0.0, 64.0, 64.0, 33.0, 33.0, 30.0, 0.0, 64.0, 64.0, 34.0, 34.0, 60.0, 0.0, 64.0, 64.0, 35.0, 35.0, 90.0, 0.0, 64.0, 64.0, 36.0, 36.0, 120.0, 0.0, 64.0, 64.0, 37.0, 37.0, 150.0, 0.0, 64.0, 64.0, 38.0, 38.0, 180.0, 0.0, 64.0, 64.0, 39.0, 39.0, 210.0, 0.0, 64.0, 64.0, 40.0, 40.0, 240.0, 0.0, 64.0, 64.0, 41.0, 41.0, 270.0, 0.0, 64.0, 64.0, 42.0, 42.0, 300.0, 0.0, 64.0, 64.0, 43.0, 43.0, 330.0)),
        pooled_size=(1, 7),
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.87, threads=1))
