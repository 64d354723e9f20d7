"""_image_random_hue, forward, on MXNet 2.0.0b1: 29.0 times as slow as a neighbour that does equal work.

slow       452 us a call, where 14.7 us were expected
fast       14.7 us a call
step       data.shape[2] of 1 and data.shape[1] of 12
ratio      29.0 times, 95% interval 26.9 to 30.4, with 1 thread
family     the last dimension is 3 or more
neighbour  29.0 times: data.shape[2] of 1 and data.shape[1] of 12
roofline   34.2 times: this machine can move and compute as much in that time

Measure it again: python _image_random_hue-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_hue",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_random_hue/f1584499", profile="finding")
def slow():
    return dict(
        data=tensor((2000, 4, 3), "float16", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


@case("_image_random_hue/f18b62f7", profile="contrast")
def fast():
    return dict(
        data=tensor((2000, 12, 1), "float16", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=5.38, threads=1))
