"""_image_random_flip_top_bottom, forward: 5.51 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       315 us a call, where 42.9 us were expected
fast       42.9 us a call
step       the same input on MXNet 1.9.1
ratio      5.51 times, 95% interval 3.82 to 8.43, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       5.51 times: the same input on MXNet 1.9.1
roofline   4.91 times: this machine can move and compute as much in that time

Measure it again: python _image_random_flip_top_bottom-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.35 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_flip_top_bottom",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_random_flip_top_bottom/16a4965d", profile="finding")
def both():
    return dict(
        data=tensor((1, 524288, 1), "float32", integers(0, 256)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.35, threads=1, sides=sides))
