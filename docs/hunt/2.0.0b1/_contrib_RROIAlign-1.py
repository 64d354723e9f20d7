"""_contrib_RROIAlign, forward, on MXNet 2.0.0b1: 10.6 times as slow as a neighbour that does equal work.

slow       414 us a call, where 39.3 us were expected
fast       39.3 us a call
step       float32
ratio      10.6 times, 95% interval 10.4 to 10.8, with 1 thread
family     pooled_size=(1, 1) and spatial_scale=0.0625 and dtype is float16 and rois.shape[1] >= 6
neighbour  10.5 times: float32 takes 9% of the time
roofline   23.0 times: this machine can move and compute as much in that time

Measure it again: python _contrib_RROIAlign-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_RROIAlign",
    category="pooling",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_RROIAlign/66ba6e66", profile="finding")
def slow():
    return dict(
        data=tensor((1, 4, 1, 1), "float16", uniform(-1.0, 1.0)),
        rois=tensor((32, 6), "float16", literal(0.0, 16.0, 504.0, 8.0, 252.0, 0.0, 1.0, 16.0, 504.0, 9.0, 253.0, 30.0, 0.0, 16.0, 504.0, 10.0, 254.0, 60.0, 1.0, 16.0, 504.0, 11.0, 255.0, 90.0, 0.0, 16.0, 504.0, 12.0, 256.0, 120.0, 1.0, 16.0, 504.0, 13.0, 257.0, 150.0, 0.0, 16.0, 504.0, 14.0, 258.0, 180.0, 1.0, 16.0, 504.0, 15.0, 259.0, 210.0, 0.0, 16.0, 504.0, 16.0, 260.0, 240.0, 1.0, 16.0, 504.0, 17.0, 261.0, 270.0, 0.0, 16.0, 504.0, 18.0, 262.0, 300.0, 1.0, 16.0, 504.0, 19.0, 263.0, 330.0)),
        pooled_size=(1, 1),
        spatial_scale=0.0625,
    )


@case("_contrib_RROIAlign/6f9c580e", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4, 1, 1), "float32", uniform(-1.0, 1.0)),
        rois=tensor((32, 6), "float32", literal(0.0, 16.0, 504.0, 8.0, 252.0, 0.0, 1.0, 16.0, 504.0, 9.0, 253.0, 30.0, 0.0, 16.0, 504.0, 10.0, 254.0, 60.0, 1.0, 16.0, 504.0, 11.0, 255.0, 90.0, 0.0, 16.0, 504.0, 12.0, 256.0, 120.0, 1.0, 16.0, 504.0, 13.0, 257.0, 150.0, 0.0, 16.0, 504.0, 14.0, 258.0, 180.0, 1.0, 16.0, 504.0, 15.0, 259.0, 210.0, 0.0, 16.0, 504.0, 16.0, 260.0, 240.0, 1.0, 16.0, 504.0, 17.0, 261.0, 270.0, 0.0, 16.0, 504.0, 18.0, 262.0, 300.0, 1.0, 16.0, 504.0, 19.0, 263.0, 330.0)),
        pooled_size=(1, 1),
        spatial_scale=0.0625,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.25, threads=1))
