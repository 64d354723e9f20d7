"""_image_normalize, forward, on MXNet 2.0.0b1: 3.52 times as slow as a neighbour that does equal work.

slow       100 us a call, where 24.6 us were expected
fast       24.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.52 times, 95% interval 3.30 to 3.69, with 1 thread
family     float16, and mean[-1] is at most 0.406
neighbour  3.52 times: int64: as many elements, 4 times the bytes
roofline   8.24 times: this machine can move and compute as much in that time

Measure it again: python _image_normalize-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_image_normalize",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_image_normalize/f45d2ff2", profile="finding")
def slow():
    return dict(
        data=tensor((3, 128, 10), "float16", uniform(-1.0, 1.0)),
        mean=(0.485, 0.456, 0.406),
        std=(0.229, 0.224, 0.225),
    )


@case("_image_normalize/cb54f1b9", profile="contrast")
def fast():
    return dict(
        data=tensor((3, 128, 10), "int64", integers(0, 10)),
        mean=(0.485, 0.456, 0.406),
        std=(0.229, 0.224, 0.225),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
