"""_image_random_saturation, forward, on MXNet 1.9.1: 4.57 times as slow as a neighbour that does equal work.

slow       186 us a call, where 44.1 us were expected
fast       35.2 us a call
step       data.shape[2] of 1 and data.shape[0] of 384
ratio      4.57 times, 95% interval 3.59 to 5.76, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.57 times: data.shape[2] of 1 and data.shape[0] of 384
model      4.92 times: half of 40 other inputs lie within a factor of 1.34 of it
roofline   14.2 times: this machine can move and compute as much in that time

Measure it again: python _image_random_saturation-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_saturation",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_random_saturation/1fd48f59", profile="finding")
def slow():
    return dict(
        data=tensor((128, 160, 3), "uint8", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


@case("_image_random_saturation/0a7de8e8", profile="contrast")
def fast():
    return dict(
        data=tensor((384, 160, 1), "uint8", integers(0, 256)),
        max_factor=1.5,
        min_factor=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.68, threads=1))
