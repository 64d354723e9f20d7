"""_image_random_flip_left_right, forward: 2.52 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       177 us a call, where 40.3 us were expected
fast       40.3 us a call
step       the same input on MXNet 1.9.1
ratio      2.52 times, 95% interval 1.84 to 3.69, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.52 times: the same input on MXNet 1.9.1
roofline   10.2 times: this machine can move and compute as much in that time

Measure it again: python _image_random_flip_left_right-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.59 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_flip_left_right",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_random_flip_left_right/3f64d0a1", profile="finding")
def both():
    return dict(
        data=tensor((255, 294, 3), "uint8", integers(0, 256)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.59, threads=1, sides=sides))
