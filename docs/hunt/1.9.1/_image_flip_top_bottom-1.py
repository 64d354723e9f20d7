"""_image_flip_top_bottom, forward, on MXNet 1.9.1: 5.23 times as slow as a neighbour that does equal work.

slow       80.9 us a call, where 15.8 us were expected
fast       15.8 us a call
step       data.shape[0] of 1 and data.shape[1] of 16,384
ratio      5.23 times, 95% interval 5.05 to 5.39, with 1 thread
family     dtype is float32 or float16 or uint8 and data.shape[1] <= 1
neighbour  5.12 times: data.shape[0] of 1 and data.shape[1] of 16,384 takes 20% of the time
model      1.42 times: half of 40 other inputs lie within a factor of 1.08 of it
roofline   2.56 times: this machine can move and compute as much in that time

Measure it again: python _image_flip_top_bottom-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.29 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_flip_top_bottom",
    category="image",
    mxnet="1.9.1",
    seed=1,
)


@case("_image_flip_top_bottom/2f030c3e", profile="finding")
def slow():
    return dict(
        data=tensor((16384, 1, 3), "float32", integers(0, 256)),
    )


@case("_image_flip_top_bottom/5e5fd807", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16384, 3), "float32", integers(0, 256)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.29, threads=1))
