"""_image_random_color_jitter, forward, on MXNet 1.9.1: 3.81 times as slow as a neighbour that does equal work.

slow       97.1 us a call, where 25.4 us were expected
fast       25.4 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.81 times, 95% interval 3.65 to 3.94, with 1 thread
family     float16
neighbour  3.81 times: int64: as many elements, 4 times the bytes
roofline   6.28 times: this machine can move and compute as much in that time

Measure it again: python _image_random_color_jitter-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.95 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_color_jitter",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_random_color_jitter/1cda1017", profile="finding")
def slow():
    return dict(
        data=tensor((64, 4, 3), "float16", integers(0, 256)),
        brightness=0.4,
        contrast=0.4,
        hue=0.1,
        saturation=0.4,
    )


@case("_image_random_color_jitter/e623a726", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 4, 3), "int64", integers(0, 256)),
        brightness=0.4,
        contrast=0.4,
        hue=0.1,
        saturation=0.4,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.95, threads=1))
