"""_contrib_PSROIPooling, forward, on MXNet 1.9.1: 2.08 times as slow as a neighbour that does equal work.

slow       96.2 us a call, where 47.3 us were expected
fast       47.3 us a call
step       data.shape[2] of 32 and data.shape[0] of 16
ratio      2.08 times, 95% interval 2.02 to 2.14, with 1 thread
family     output_dim >= 1 and spatial_scale=0.0625 and pooled_size >= 1 and data.shape[0] <= 1 and
           data.shape[1] <= 1 and data.shape[3] <= 4 and rois.shape[0] >= 200 and rois.shape[1] >= 5
neighbour  2.03 times: data.shape[2] of 32 and data.shape[0] of 16 takes 49% of the time
roofline   5.43 times: this machine can move and compute as much in that time

Measure it again: python _contrib_PSROIPooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_PSROIPooling",
    category="pooling",
    mxnet="1.9.1",
    seed=1,
)


@case("_contrib_PSROIPooling/b8fc6441", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 512, 4), "float32", uniform(-1.0, 1.0)),
        rois=tensor((200, 5), "float32", boxes(160.0, 16000.0, ((0, 1),))),
        output_dim=1,
        pooled_size=1,
        spatial_scale=0.0625,
    )


@case("_contrib_PSROIPooling/5ad40eed", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 1, 32, 4), "float32", uniform(-1.0, 1.0)),
        rois=tensor((200, 5), "float32", boxes(160.0, 16000.0, ((0, 1),))),
        output_dim=1,
        pooled_size=1,
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.44, threads=1))
