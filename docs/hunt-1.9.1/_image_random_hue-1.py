"""_image_random_hue, forward, on MXNet 1.9.1: 36.0 times as slow as a neighbour that does equal work.

slow       874 us a call, where 23.7 us were expected
fast       23.7 us a call
step       data.shape[2] of 1 and data.shape[0] of 384
ratio      36.0 times, 95% interval 31.2 to 43.4, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  36.0 times: data.shape[2] of 1 and data.shape[0] of 384
roofline   33.4 times: this machine can move and compute as much in that time

Measure it again: python _image_random_hue-1.py
It times both interleaved, and exits with 1 if slow takes more than 6.0 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_hue",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_random_hue/37e85c69", profile="finding")
def slow():
    return dict(
        data=tensor((128, 160, 3), "float64", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


@case("_image_random_hue/6ef70ae8", profile="contrast")
def fast():
    return dict(
        data=tensor((384, 160, 1), "float64", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=6.0, threads=1))
