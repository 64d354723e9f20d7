"""_contrib_DeformablePSROIPooling, backward, on MXNet 1.9.1: 2.69 times as slow as a neighbour that does equal work.

slow       360 us a call, where 134 us were expected
fast       134 us a call
step       axes 0 and 2 exchanged
ratio      2.69 times, 95% interval 2.53 to 2.79, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.50 times
neighbour  2.69 times: axes 0 and 2 exchanged
roofline   14.8 times: this machine can move and compute as much in that time

Measure it again: python _contrib_DeformablePSROIPooling-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_DeformablePSROIPooling",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_DeformablePSROIPooling/ac85ea2c", profile="finding")
def slow():
    return dict(
        data=tensor((1, 49, 64, 64), "float32", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float32", boxes(1024.0, 1024.0, ((0, 1),))),
        group_size=7,
        no_trans=True,
        output_dim=1,
        pooled_size=7,
        sample_per_part=2,
        spatial_scale=0.0625,
    )


@case("_contrib_DeformablePSROIPooling/ee00f951", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 49, 1, 64), "float32", uniform(-1.0, 1.0)),
        rois=tensor((64, 5), "float32", boxes(1024.0, 1024.0, ((0, 1),))),
        group_size=7,
        no_trans=True,
        output_dim=1,
        pooled_size=7,
        sample_per_part=2,
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.64, threads=1))
