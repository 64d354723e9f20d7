"""_image_random_flip_top_bottom, forward, on MXNet 2.0.0b1: 12.6 times as slow as a neighbour that does equal work.

slow       318 us a call, where 26.4 us were expected
fast       26.4 us a call
step       data.shape[0] of 512 and data.shape[1] of 256
ratio      12.6 times, 95% interval 10.7 to 14.3, with 1 thread
family     dtype is uint8 or float16 or int32 and data.shape[0] <= 131,072 and data.shape[1] <= 1
neighbour  12.1 times: data.shape[0] of 512 and data.shape[1] of 256 takes 8% of the time
model      6.73 times: half of 191 other inputs lie within a factor of 1.09 of it
roofline   11.5 times: this machine can move and compute as much in that time

Measure it again: python _image_random_flip_top_bottom-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_flip_top_bottom",
    category="image",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_image_random_flip_top_bottom/fee6754d", profile="finding")
def slow():
    return dict(
        data=tensor((131072, 1, 1), "uint8", integers(0, 1)),
    )


@case("_image_random_flip_top_bottom/94a27cb5", profile="contrast")
def fast():
    return dict(
        data=tensor((512, 256, 1), "uint8", integers(0, 1)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.54, threads=1))
