"""_image_adjust_lighting, forward, on MXNet 2.0.0b1: 3.38 times as slow as a neighbour that does equal work.

slow       188 us a call, where 55.3 us were expected
fast       55.3 us a call
step       int32: as many elements, 4 times the bytes
ratio      3.38 times, 95% interval 3.13 to 3.50, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.38 times: int32: as many elements, 4 times the bytes
roofline   11.3 times: this machine can move and compute as much in that time

Measure it again: python _image_adjust_lighting-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_adjust_lighting",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_adjust_lighting/d03a4d84", profile="finding")
def slow():
    return dict(
        data=tensor((128, 480, 3), "uint8", integers(0, 128)),
        alpha=(0.1, 0.1, 0.1),
    )


@case("_image_adjust_lighting/86480c61", profile="contrast")
def fast():
    return dict(
        data=tensor((128, 480, 3), "int32", integers(0, 128)),
        alpha=(0.1, 0.1, 0.1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.84, threads=1))
