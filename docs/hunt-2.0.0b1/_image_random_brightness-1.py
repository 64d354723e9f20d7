"""_image_random_brightness, forward, on MXNet 2.0.0b1: 5.05 times as slow as a neighbour that does equal work.

slow       83.8 us a call, where 16.6 us were expected
fast       16.6 us a call
step       int32: as many elements, 2 times the bytes
ratio      5.05 times, 95% interval 5.00 to 5.12, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.05 times: int32: as many elements, 2 times the bytes
roofline   6.65 times: this machine can move and compute as much in that time

Measure it again: python _image_random_brightness-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_brightness",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_random_brightness/81e47f0f", profile="finding")
def slow():
    return dict(
        data=tensor((2000, 2, 3), "float16", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


@case("_image_random_brightness/5d08651e", profile="contrast")
def fast():
    return dict(
        data=tensor((2000, 2, 3), "int32", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.25, threads=1))
