"""_image_resize, forward, on MXNet 1.9.1: 2.75 times as slow as a neighbour that does equal work.

slow       55.8 us a call, where 20.1 us were expected
fast       20.1 us a call
step       interp=3
ratio      2.75 times, 95% interval 2.51 to 2.88, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.75 times: interp=3
roofline   3.58 times: this machine can move and compute as much in that time

Measure it again: python _image_resize-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.66 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_resize",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_resize/bd057bf6", profile="finding")
def slow():
    return dict(
        data=tensor((256, 1, 1), "float32", integers(0, 256)),
        interp=2,
        size=(30, 90),
    )


@case("_image_resize/3e0954cb", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 1, 1), "float32", integers(0, 256)),
        interp=3,
        size=(30, 90),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.66, threads=1))
