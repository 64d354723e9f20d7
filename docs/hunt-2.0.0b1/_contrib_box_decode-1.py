"""_contrib_box_decode, forward, on MXNet 2.0.0b1: 4.14 times as slow as a neighbour that does equal work.

slow       157 us a call, where 37.9 us were expected
fast       37.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.14 times, 95% interval 3.72 to 4.63, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.14 times: float32: as many elements, 2 times the bytes
roofline   12.9 times: this machine can move and compute as much in that time

Measure it again: python _contrib_box_decode-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.03 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_box_decode",
    category="detection",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_box_decode/43722d97", profile="finding")
def slow():
    return dict(
        data=tensor((1, 655, 4), "float16", uniform(-1.0, 1.0)),
        anchors=tensor((1, 655, 4), "float16", boxes(1.0, 1.0)),
    )


@case("_contrib_box_decode/b02d9456", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 655, 4), "float32", uniform(-1.0, 1.0)),
        anchors=tensor((1, 655, 4), "float32", boxes(1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.03, threads=1))
