"""_image_random_saturation, forward, on MXNet 1.9.1: 3.08 times as slow as a neighbour that does equal work.

slow       270 us a call, where 82.9 us were expected
fast       82.9 us a call
step       float32: as many elements, 4 times the bytes
ratio      3.08 times, 95% interval 2.92 to 3.18, with 1 thread
family     uint8 or int32 or int8, and the last dimension is 3 or more
neighbour  3.08 times: float32: as many elements, 4 times the bytes
roofline   13.9 times: this machine can move and compute as much in that time

Measure it again: python _image_random_saturation-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_saturation",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_random_saturation/b88f6cec", profile="finding")
def slow():
    return dict(
        data=tensor((128, 480, 3), "uint8", integers(0, 128)),
        max_factor=1.5,
        min_factor=0.5,
    )


@case("_image_random_saturation/69fb43b1", profile="contrast")
def fast():
    return dict(
        data=tensor((128, 480, 3), "float32", integers(0, 128)),
        max_factor=1.5,
        min_factor=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.75, threads=1))
