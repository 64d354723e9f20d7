"""_image_flip_top_bottom, forward: 5.88 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       74.2 us a call, where 11.7 us were expected
fast       11.7 us a call
step       the same input on MXNet 1.9.1
ratio      5.88 times, 95% interval 5.60 to 6.46, with 1 thread
family     this input; no family of it holds on fresh draws
side       5.88 times: the same input on MXNet 1.9.1
roofline   3.44 times: this machine can move and compute as much in that time

Measure it again: python _image_flip_top_bottom-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.43 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_flip_top_bottom",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_flip_top_bottom/b3469c3e", profile="finding")
def both():
    return dict(
        data=tensor((1, 32768, 3), "float32", integers(0, 256)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.43, threads=1, sides=sides))
