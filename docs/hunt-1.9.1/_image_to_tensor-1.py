"""_image_to_tensor, forward, on MXNet 1.9.1: 5.07 times as slow as a neighbour that does equal work.

slow       98.1 us a call, where 19.3 us were expected
fast       19.3 us a call
step       int64: as many elements, 4 times the bytes
ratio      5.07 times, 95% interval 4.72 to 5.18, with 1 thread
family     float16
neighbour  5.07 times: int64: as many elements, 4 times the bytes
roofline   6.20 times: this machine can move and compute as much in that time

Measure it again: python _image_to_tensor-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_image_to_tensor",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_to_tensor/f7e24689", profile="finding")
def slow():
    return dict(
        data=tensor((512, 4, 3), "float16", integers(0, 256)),
    )


@case("_image_to_tensor/d5745330", profile="contrast")
def fast():
    return dict(
        data=tensor((512, 4, 3), "int64", integers(0, 256)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.25, threads=1))
