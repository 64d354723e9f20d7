"""ROIPooling, forward, on MXNet 1.9.1: 3.50 times as slow as a neighbour that does equal work.

slow       191 us a call, where 54.4 us were expected
fast       54.4 us a call
step       data.shape[2] of 1 and data.shape[0] of 1,000
ratio      3.50 times, 95% interval 3.41 to 3.56, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.50 times: data.shape[2] of 1 and data.shape[0] of 1,000
roofline   12.1 times: this machine can move and compute as much in that time

Measure it again: python ROIPooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="ROIPooling",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("ROIPooling/346fffb5", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 1000, 8), "float32", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float32", boxes(160.0, 16000.0, ((0, 1),))),
        pooled_size=(1, 7),
        spatial_scale=0.0625,
    )


@case("ROIPooling/badff4a9", profile="contrast")
def fast():
    return dict(
        data=tensor((1000, 1, 1, 8), "float32", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float32", boxes(160.0, 16000.0, ((0, 1),))),
        pooled_size=(1, 7),
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.87, threads=1))
