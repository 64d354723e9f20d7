"""_image_random_resized_crop, forward, on MXNet 2.0.0b1: 2.60 times as slow as a neighbour that does equal work.

slow       390 us a call, where 183 us were expected
fast       183 us a call
step       data.shape[0] of 180 and data.shape[1] of 960
ratio      2.60 times, 95% interval 1.70 to 4.35, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.60 times: data.shape[0] of 180 and data.shape[1] of 960
roofline   8.32 times: this machine can move and compute as much in that time

Measure it again: python _image_random_resized_crop-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_random_resized_crop",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_random_resized_crop/12b9406b", profile="finding")
def slow():
    return dict(
        data=tensor((360, 480, 4), "float32", integers(0, 256)),
        height=180,
        width=1,
    )


@case("_image_random_resized_crop/2d459f1f", profile="contrast")
def fast():
    return dict(
        data=tensor((180, 960, 4), "float32", integers(0, 256)),
        height=180,
        width=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.61, threads=1))
