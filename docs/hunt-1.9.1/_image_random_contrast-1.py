"""_image_random_contrast, forward, on MXNet 1.9.1: 8.38 times as slow as a neighbour that does equal work.

slow       179 us a call, where 21.7 us were expected
fast       21.7 us a call
step       int64: as many elements, 4 times the bytes
ratio      8.38 times, 95% interval 8.14 to 8.64, with 1 thread
family     float16
neighbour  8.38 times: int64: as many elements, 4 times the bytes
roofline   11.5 times: this machine can move and compute as much in that time

Measure it again: python _image_random_contrast-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.9 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_contrast",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_random_contrast/d6f251f2", profile="finding")
def slow():
    return dict(
        data=tensor((256, 4, 3), "float16", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


@case("_image_random_contrast/4dd1fa8d", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 4, 3), "int64", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.9, threads=1))
