"""_contrib_PSROIPooling, forward, on MXNet 1.9.1: 6.60 times as slow as a neighbour that does equal work.

slow       243 us a call, where 37.1 us were expected
fast       37.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      6.60 times, 95% interval 6.35 to 6.80, with 1 thread
family     float16
neighbour  6.60 times: float64: as many elements, 4 times the bytes
roofline   15.7 times: this machine can move and compute as much in that time

Measure it again: python _contrib_PSROIPooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_PSROIPooling",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_PSROIPooling/643f449f", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 1, 1), "float16", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float16", boxes(1024.0, 1024.0, ((0, 1),))),
        output_dim=1,
        pooled_size=3,
        spatial_scale=0.0625,
    )


@case("_contrib_PSROIPooling/2253e28f", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1, 1, 1), "float64", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float64", boxes(1024.0, 1024.0, ((0, 1),))),
        output_dim=1,
        pooled_size=3,
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.57, threads=1))
