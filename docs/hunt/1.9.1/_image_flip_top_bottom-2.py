"""_image_flip_top_bottom, forward, on MXNet 1.9.1: 5.05 times as slow as a neighbour that does equal work.

slow       79.0 us a call, where 16.0 us were expected
fast       16.0 us a call
step       data.shape[0] of 1 and data.shape[1] of 23,305
ratio      5.05 times, 95% interval 4.90 to 5.19, with 1 thread
family     dtype is float64 or int64 and data.shape[0] is a multiple of 295 and data.shape[1] <= 79
neighbour  4.94 times: data.shape[0] of 1 and data.shape[1] of 23,305 takes 20% of the time
roofline   1.36 times: this machine can move and compute as much in that time

Measure it again: python _image_flip_top_bottom-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_flip_top_bottom",
    category="image",
    mxnet="1.9.1",
    seed=1,
)


@case("_image_flip_top_bottom/dac60f1b", profile="finding")
def slow():
    return dict(
        data=tensor((295, 79, 3), "float64", integers(0, 256)),
    )


@case("_image_flip_top_bottom/91473916", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 23305, 3), "float64", integers(0, 256)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.25, threads=1))
