"""_image_random_lighting, forward, on MXNet 2.0.0b1: 2.87 times as slow as a neighbour that does equal work.

slow       74.0 us a call, where 26.0 us were expected
fast       26.0 us a call
step       float32: as many elements, 4 times the bytes
ratio      2.87 times, 95% interval 2.63 to 2.97, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.87 times: float32: as many elements, 4 times the bytes
roofline   5.11 times: this machine can move and compute as much in that time

Measure it again: python _image_random_lighting-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_lighting",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_random_lighting/08839d41", profile="finding")
def slow():
    return dict(
        data=tensor((128, 256, 3), "uint8", integers(0, 128)),
    )


@case("_image_random_lighting/2dd591b9", profile="contrast")
def fast():
    return dict(
        data=tensor((128, 256, 3), "float32", integers(0, 128)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.7, threads=1))
