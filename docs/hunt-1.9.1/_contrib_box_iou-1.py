"""_contrib_box_iou, forward, on MXNet 1.9.1: 7.86 times as slow as a neighbour that does equal work.

slow       122 us a call, where 15.6 us were expected
fast       15.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      7.86 times, 95% interval 7.73 to 8.01, with 1 thread
family     float16
neighbour  7.86 times: float64: as many elements, 4 times the bytes
roofline   7.87 times: this machine can move and compute as much in that time

Measure it again: python _contrib_box_iou-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_box_iou",
    category="detection",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_box_iou/c72e0f55", profile="finding")
def slow():
    return dict(
        lhs=tensor((128, 4), "float16", boxes(1.0, 1.0)),
        rhs=tensor((8, 4), "float16", boxes(1.0, 1.0)),
    )


@case("_contrib_box_iou/ba8b5fe9", profile="contrast")
def fast():
    return dict(
        lhs=tensor((128, 4), "float64", boxes(1.0, 1.0)),
        rhs=tensor((8, 4), "float64", boxes(1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.8, threads=1))
