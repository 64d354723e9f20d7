"""_image_crop, backward: 2.29 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       853 us a call, where 360 us were expected
fast       360 us a call
step       the same input on MXNet 1.9.1
ratio      2.29 times, 95% interval 2.17 to 2.39, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.29 times: the same input on MXNet 1.9.1
roofline   19.4 times: this machine can move and compute as much in that time
forward    4.03 times: the forward pass of the same input

Measure it again: python _image_crop-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.51 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_crop",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_crop/f32ef2a0", profile="finding")
def both():
    return dict(
        data=tensor((360, 480, 3), "float32", integers(0, 256)),
        height=180,
        width=240,
        x=120,
        y=90,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.51, threads=1, sides=sides))
