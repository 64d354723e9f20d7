"""_image_random_saturation, forward, on MXNet 2.0.0b1: 4.97 times as slow as a neighbour that does equal work.

slow       252 us a call, where 86.3 us were expected
fast       86.3 us a call
step       float32: as many elements, 4 times the bytes
ratio      4.97 times, 95% interval 2.89 to 5.94, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.97 times: float32: as many elements, 4 times the bytes
roofline   14.8 times: this machine can move and compute as much in that time

Measure it again: python _image_random_saturation-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.23 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_saturation",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_random_saturation/fac28ee7", profile="finding")
def slow():
    return dict(
        data=tensor((256, 256, 3), "uint8", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


@case("_image_random_saturation/1552ed88", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 256, 3), "float32", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.23, threads=1))
