"""SequenceLast, backward, on MXNet 2.0.0b1: 2.00 times as slow as a neighbour that does equal work.

slow       148 us a call, where 74.0 us were expected
fast       74.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.00 times, 95% interval 1.85 to 2.03, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.00 times: float32: as many elements, 2 times the bytes
roofline   12.0 times: this machine can move and compute as much in that time
forward    2.47 times: the forward pass of the same input

Measure it again: python SequenceLast-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SequenceLast",
    category="sequence",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SequenceLast/515dd219", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 1), "float16", uniform(-1.0, 1.0)),
        sequence_length=tensor((4096,), "float16", integers(1, 2)),
        axis=1,
        use_sequence_length=True,
    )


@case("SequenceLast/ddde2cd4", profile="contrast")
def fast():
    return dict(
        data=tensor((4096, 1), "float32", uniform(-1.0, 1.0)),
        sequence_length=tensor((4096,), "float32", integers(1, 2)),
        axis=1,
        use_sequence_length=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.41, threads=1))
