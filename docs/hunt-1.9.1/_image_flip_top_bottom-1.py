"""_image_flip_top_bottom, forward, on MXNet 1.9.1: 11.2 times as slow as a neighbour that does equal work.

slow       159 us a call, where 17.3 us were expected
fast       17.3 us a call
step       data.shape[0] of 1 and data.shape[1] of 172,800
ratio      11.2 times, 95% interval 9.16 to 15.1, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  11.2 times: data.shape[0] of 1 and data.shape[1] of 172,800
roofline   2.61 times: this machine can move and compute as much in that time

Measure it again: python _image_flip_top_bottom-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.34 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_flip_top_bottom",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_flip_top_bottom/ac98468a", profile="finding")
def slow():
    return dict(
        data=tensor((360, 480, 3), "float32", integers(0, 256)),
    )


@case("_image_flip_top_bottom/529017dd", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 172800, 3), "float32", integers(0, 256)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.34, threads=1))
