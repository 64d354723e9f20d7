"""_image_normalize, forward, on MXNet 1.9.1: 4.65 times as slow as a neighbour that does equal work.

slow       99.9 us a call, where 21.4 us were expected
fast       21.4 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.65 times, 95% interval 4.44 to 4.86, with 1 thread
family     float16
neighbour  4.65 times: int64: as many elements, 4 times the bytes
roofline   6.42 times: this machine can move and compute as much in that time

Measure it again: python _image_normalize-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.16 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_image_normalize",
    category="image",
    mxnet="1.9.1",
    seed=0,
)


@case("_image_normalize/44a82a41", profile="finding")
def slow():
    return dict(
        data=tensor((3, 128, 8), "float16", uniform(-1.0, 1.0)),
        mean=(0.485, 0.456, 0.406),
        std=(0.229, 0.224, 0.225),
    )


@case("_image_normalize/c16a0c64", profile="contrast")
def fast():
    return dict(
        data=tensor((3, 128, 8), "int64", integers(0, 10)),
        mean=(0.485, 0.456, 0.406),
        std=(0.229, 0.224, 0.225),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.16, threads=1))
