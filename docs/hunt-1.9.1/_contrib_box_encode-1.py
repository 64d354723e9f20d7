"""_contrib_box_encode, forward, on MXNet 1.9.1: 4.93 times as slow as a neighbour that does equal work.

slow       95.7 us a call, where 19.1 us were expected
fast       19.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.93 times, 95% interval 4.25 to 5.12, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.93 times: float32: as many elements, 2 times the bytes
roofline   6.16 times: this machine can move and compute as much in that time

Measure it again: python _contrib_box_encode-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, boxes, case, constant, contrast, integers, literal, mask, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_box_encode",
    category="detection",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_box_encode/5e4592df", profile="finding")
def slow():
    return dict(
        samples=tensor((1, 317), "float16", mask(0.5)),
        matches=tensor((1, 317), "float16", integers(0, 1)),
        anchors=tensor((1, 317, 4), "float16", boxes(1.0, 1.0)),
        refs=tensor((1, 1, 4), "float16", boxes(1.0, 1.0)),
        means=tensor((4,), "float16", constant(0.0)),
        stds=tensor((4,), "float16", literal(0.1, 0.1, 0.2, 0.2)),
    )


@case("_contrib_box_encode/506e08bb", profile="contrast")
def fast():
    return dict(
        samples=tensor((1, 317), "float32", mask(0.5)),
        matches=tensor((1, 317), "float32", integers(0, 1)),
        anchors=tensor((1, 317, 4), "float32", boxes(1.0, 1.0)),
        refs=tensor((1, 1, 4), "float32", boxes(1.0, 1.0)),
        means=tensor((4,), "float32", constant(0.0)),
        stds=tensor((4,), "float32", literal(0.1, 0.1, 0.2, 0.2)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.22, threads=1))
