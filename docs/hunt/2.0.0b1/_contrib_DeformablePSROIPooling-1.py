"""_contrib_DeformablePSROIPooling, forward, on MXNet 2.0.0b1: 3.56 times as slow as a neighbour that does equal work.

slow       2,119 us a call, where 638 us were expected
fast       638 us a call
step       data.shape[3] of 1 and data.shape[0] of 10
ratio      3.56 times, 95% interval 3.18 to 5.09, with 1 thread
family     output_dim=1 and spatial_scale=0.0625 and pooled_size=7 and group_size=8 and no_trans=True and
           sample_per_part=3 and data.shape[1] >= 49 and data.shape[2] >= 1,000 and data.shape[3] >= 10 and
           rois.shape[0] >= 100 and rois.shape[1] >= 5
neighbour  3.32 times: data.shape[3] of 1 and data.shape[0] of 10 takes 30% of the time
roofline   23.1 times: this machine can move and compute as much in that time

Measure it again: python _contrib_DeformablePSROIPooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.89 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_DeformablePSROIPooling",
    category="pooling",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_DeformablePSROIPooling/ada862a5", profile="finding")
def slow():
    return dict(
        data=tensor((1, 49, 1000, 10), "float32", uniform(-1.0, 1.0)),
        rois=tensor((100, 5), "float32", boxes(160.0, 16000.0, ((0, 1),))),
        group_size=8,
        no_trans=True,
        output_dim=1,
        pooled_size=7,
        sample_per_part=3,
        spatial_scale=0.0625,
    )


@case("_contrib_DeformablePSROIPooling/958d92c9", profile="contrast")
def fast():
    return dict(
        data=tensor((10, 49, 1000, 1), "float32", uniform(-1.0, 1.0)),
        rois=tensor((100, 5), "float32", boxes(160.0, 16000.0, ((0, 1),))),
        group_size=8,
        no_trans=True,
        output_dim=1,
        pooled_size=7,
        sample_per_part=3,
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.89, threads=1))
