"""_contrib_DeformableConvolution, forward, on MXNet 1.9.1: 1.96 times as slow as a neighbour that does equal work.

slow       215 us a call, where 109 us were expected
fast       109 us a call
step       axes 0 and 2 exchanged
ratio      1.96 times, 95% interval 1.91 to 1.98, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.96 times: axes 0 and 2 exchanged
roofline   4.62 times: this machine can move and compute as much in that time

Measure it again: python _contrib_DeformableConvolution-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_DeformableConvolution",
    category="convolution",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_DeformableConvolution/9f7dfc3a", profile="finding")
def slow():
    return dict(
        data=tensor((7, 64, 1, 7), "float32", uniform(-1.0, 1.0)),
        offset=tensor((7, 2, 1, 7), "float32", uniform(-1.5, 1.5)),
        weight=tensor((512, 64, 1, 1), "float32", uniform(-1.0, 1.0)),
        bias=tensor((512,), "float32", uniform(-1.0, 1.0)),
        dilate=(1, 1),
        kernel=(1, 1),
        num_deformable_group=1,
        num_filter=512,
        pad=(0, 0),
        stride=(1, 1),
    )


@case("_contrib_DeformableConvolution/58a5ef93", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 64, 7, 7), "float32", uniform(-1.0, 1.0)),
        offset=tensor((1, 2, 7, 7), "float32", uniform(-1.5, 1.5)),
        weight=tensor((512, 64, 1, 1), "float32", uniform(-1.0, 1.0)),
        bias=tensor((512,), "float32", uniform(-1.0, 1.0)),
        dilate=(1, 1),
        kernel=(1, 1),
        num_deformable_group=1,
        num_filter=512,
        pad=(0, 0),
        stride=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.4, threads=1))
