"""_contrib_box_decode, forward, on MXNet 1.9.1: 5.47 times as slow as a neighbour that does equal work.

slow       90.3 us a call, where 16.4 us were expected
fast       16.4 us a call
step       float64: as many elements, 4 times the bytes
ratio      5.47 times, 95% interval 5.02 to 5.63, with 1 thread
family     float16
neighbour  5.47 times: float64: as many elements, 4 times the bytes
roofline   5.81 times: this machine can move and compute as much in that time

Measure it again: python _contrib_box_decode-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.34 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_box_decode",
    category="detection",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_box_decode/0ad7a4c0", profile="finding")
def slow():
    return dict(
        data=tensor((1, 391, 4), "float16", uniform(-1.0, 1.0)),
        anchors=tensor((1, 391, 4), "float16", boxes(1.0, 1.0)),
    )


@case("_contrib_box_decode/928c7627", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 391, 4), "float64", uniform(-1.0, 1.0)),
        anchors=tensor((1, 391, 4), "float64", boxes(1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.34, threads=1))
