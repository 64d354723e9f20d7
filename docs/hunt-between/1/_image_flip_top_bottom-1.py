"""_image_flip_top_bottom, forward: 12.1 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       126 us a call, where 10.4 us were expected
fast       10.4 us a call
step       the same input on MXNet 1.9.1
ratio      12.1 times, 95% interval 11.8 to 12.3, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       12.1 times: the same input on MXNet 1.9.1
roofline   3.47 times: this machine can move and compute as much in that time

Measure it again: python _image_flip_top_bottom-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 3.48 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_flip_top_bottom",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_flip_top_bottom/edddcb45", profile="finding")
def both():
    return dict(
        data=tensor((1, 65536, 3), "float32", integers(0, 256)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=3.48, threads=1, sides=sides))
