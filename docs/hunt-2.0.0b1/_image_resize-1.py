"""_image_resize, forward, on MXNet 2.0.0b1: 5.23 times as slow as a neighbour that does equal work.

slow       301 us a call, where 55.6 us were expected
fast       55.6 us a call
step       interp=1
ratio      5.23 times, 95% interval 4.87 to 5.62, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.23 times: interp=1
roofline   24.0 times: this machine can move and compute as much in that time

Measure it again: python _image_resize-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.29 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_resize",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_resize/8df4c34e", profile="finding")
def slow():
    return dict(
        data=tensor((360, 1, 1), "float32", integers(0, 256)),
        interp=2,
        size=(60, 180),
    )


@case("_image_resize/5e3abbca", profile="contrast")
def fast():
    return dict(
        data=tensor((360, 1, 1), "float32", integers(0, 256)),
        interp=1,
        size=(60, 180),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.29, threads=1))
