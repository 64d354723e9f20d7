"""_image_random_brightness, forward, on MXNet 1.9.1: 3.20 times as slow as a neighbour that does equal work.

slow       249 us a call, where 77.9 us were expected
fast       77.9 us a call
step       int32: as many elements, 4 times the bytes
ratio      3.20 times, 95% interval 2.96 to 3.36, with 1 thread
family     uint8 or float16 or int64
neighbour  3.20 times: int32: as many elements, 4 times the bytes
roofline   14.3 times: this machine can move and compute as much in that time

Measure it again: python _image_random_brightness-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_brightness",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_random_brightness/46edab59", profile="finding")
def slow():
    return dict(
        data=tensor((64, 480, 3), "uint8", integers(0, 64)),
        max_factor=1.5,
        min_factor=0.5,
    )


@case("_image_random_brightness/1244cde2", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 480, 3), "int32", integers(0, 64)),
        max_factor=1.5,
        min_factor=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.79, threads=1))
