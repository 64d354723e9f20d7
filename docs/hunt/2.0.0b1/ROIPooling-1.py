"""ROIPooling, forward, on MXNet 2.0.0b1: 8.84 times as slow as a neighbour that does equal work.

slow       780 us a call, where 87.2 us were expected
fast       87.2 us a call
step       data.shape[2] of 1 and data.shape[0] of 64
ratio      8.84 times, 95% interval 8.59 to 9.07, with 1 thread
family     pooled_size=(1, 1) and spatial_scale=0.0625 and data.shape[0] <= 2 and rois.shape[1] >= 5
neighbour  8.94 times: data.shape[2] of 1 and data.shape[0] of 64 takes 11% of the time
roofline   27.9 times: this machine can move and compute as much in that time

Measure it again: python ROIPooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.97 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="ROIPooling",
    category="pooling",
    mxnet="2.0.0b1",
    seed=1,
)


@case("ROIPooling/6bf6dbe8", profile="finding")
def slow():
    return dict(
        data=tensor((1, 16, 64, 64), "float32", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float32", boxes(1024.0, 1024.0, ((0, 1),))),
        pooled_size=(1, 1),
        spatial_scale=0.0625,
    )


@case("ROIPooling/e57f94f6", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 16, 1, 64), "float32", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float32", boxes(1024.0, 1024.0, ((0, 1),))),
        pooled_size=(1, 1),
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.97, threads=1))
