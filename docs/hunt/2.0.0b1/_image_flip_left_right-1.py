"""_image_flip_left_right, forward, on MXNet 2.0.0b1: 2.53 times as slow as a neighbour that does equal work.

slow       137 us a call, where 54.4 us were expected
fast       54.4 us a call
step       axes 0 and 1 exchanged
ratio      2.53 times, 95% interval 2.49 to 2.57, with 1 thread
family     data.shape[1] <= 1
neighbour  2.53 times: axes 0 and 1 exchanged takes 40% of the time
model      2.50 times: half of 40 other inputs lie within a factor of 1.08 of it
roofline   6.01 times: this machine can move and compute as much in that time

Measure it again: python _image_flip_left_right-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.59 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_flip_left_right",
    category="image",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_image_flip_left_right/b382c1f5", profile="finding")
def slow():
    return dict(
        data=tensor((16384, 1, 1), "float32", integers(0, 256)),
    )


@case("_image_flip_left_right/5b8aeb13", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16384, 1), "float32", integers(0, 256)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.59, threads=1))
