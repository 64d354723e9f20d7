"""_contrib_ROIAlign, backward, on MXNet 1.9.1: 24.9 times as slow as a neighbour that does equal work.

slow       59,630 us a call, where 2,397 us were expected
fast       1,375 us a call
step       axes 0 and 1 exchanged
ratio      24.9 times, 95% interval 24.8 to 25.3, with 1 thread
family     pooled_size=(7, 7) and spatial_scale=0.0625 and rois.shape[1] >= 5 and data.shape[0] < 64 and
           data.shape[1] > 1
neighbour  24.9 times: axes 0 and 1 exchanged takes 4% of the time
roofline   700 times: this machine can move and compute as much in that time
forward    8.43 times: the forward pass of the same input

Measure it again: python _contrib_ROIAlign-1.py
It times both interleaved, and exits with 1 if slow takes more than 8.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_ROIAlign",
    category="pooling",
    mxnet="1.9.1",
    seed=1,
)


@case("_contrib_ROIAlign/0e37fcb2", profile="finding")
def slow():
    return dict(
        data=tensor((1, 64, 64, 64), "float32", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float32", boxes(1024.0, 1024.0, ((0, 1),))),
        pooled_size=(7, 7),
        spatial_scale=0.0625,
    )


@case("_contrib_ROIAlign/b79fce8b", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 1, 64, 64), "float32", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float32", boxes(1024.0, 1024.0, ((0, 1),))),
        pooled_size=(7, 7),
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=8.71, threads=1))
