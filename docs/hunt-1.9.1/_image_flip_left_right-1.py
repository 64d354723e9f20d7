"""_image_flip_left_right, forward, on MXNet 1.9.1: 2.76 times as slow as a neighbour that does equal work.

slow       159 us a call, where 57.5 us were expected
fast       57.5 us a call
step       float64: as many elements, 2 times the bytes
ratio      2.76 times, 95% interval 2.32 to 2.79, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.76 times: float64: as many elements, 2 times the bytes
model      2.26 times: half of 31 other inputs lie within a factor of 1.14 of it
roofline   7.50 times: this machine can move and compute as much in that time

Measure it again: python _image_flip_left_right-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.66 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_flip_left_right",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_flip_left_right/411ed244", profile="finding")
def slow():
    return dict(
        data=tensor((1, 65536, 1), "float32", integers(0, 256)),
    )


@case("_image_flip_left_right/fd95973f", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 65536, 1), "float64", integers(0, 256)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.66, threads=1))
