"""_image_random_lighting, forward, on MXNet 1.9.1: 4.43 times as slow as a neighbour that does equal work.

slow       120 us a call, where 26.3 us were expected
fast       26.3 us a call
step       int32: as many elements, 4 times the bytes
ratio      4.43 times, 95% interval 3.74 to 4.79, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.43 times: int32: as many elements, 4 times the bytes
roofline   6.86 times: this machine can move and compute as much in that time

Measure it again: python _image_random_lighting-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.1 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_lighting",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_random_lighting/177dc4d8", profile="finding")
def slow():
    return dict(
        data=tensor((64, 480, 3), "uint8", integers(0, 64)),
    )


@case("_image_random_lighting/1d69082d", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 480, 3), "int32", integers(0, 64)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.1, threads=1))
