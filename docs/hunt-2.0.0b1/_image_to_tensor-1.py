"""_image_to_tensor, forward, on MXNet 2.0.0b1: 4.79 times as slow as a neighbour that does equal work.

slow       108 us a call, where 22.5 us were expected
fast       22.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.79 times, 95% interval 4.66 to 4.91, with 1 thread
family     float16, and 5,110 elements or more
neighbour  4.79 times: float32: as many elements, 2 times the bytes
roofline   8.58 times: this machine can move and compute as much in that time

Measure it again: python _image_to_tensor-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.19 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_to_tensor",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_to_tensor/51d78777", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 4, 2), "float16", integers(0, 256)),
    )


@case("_image_to_tensor/eef9eabd", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 4, 2), "float32", integers(0, 256)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.19, threads=1))
