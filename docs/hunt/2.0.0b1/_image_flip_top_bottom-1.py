"""_image_flip_top_bottom, forward, on MXNet 2.0.0b1: 3.25 times as slow as a neighbour that does equal work.

slow       97.3 us a call, where 29.7 us were expected
fast       29.7 us a call
step       data.shape[1] of 16,384 and data.shape[0] of 2
ratio      3.25 times, 95% interval 3.18 to 3.33, with 1 thread
family     dtype is float16 or float32 or int32 and data.shape[0] <= 1
neighbour  3.27 times: data.shape[1] of 16,384 and data.shape[0] of 2 takes 31% of the time
model      1.83 times: half of 127 other inputs lie within a factor of 1.05 of it
roofline   2.99 times: this machine can move and compute as much in that time

Measure it again: python _image_flip_top_bottom-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_flip_top_bottom",
    category="image",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_image_flip_top_bottom/401dd72d", profile="finding")
def slow():
    return dict(
        data=tensor((1, 32768, 3), "float16", integers(0, 256)),
    )


@case("_image_flip_top_bottom/4b376453", profile="contrast")
def fast():
    return dict(
        data=tensor((2, 16384, 3), "float16", integers(0, 256)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.8, threads=1))
