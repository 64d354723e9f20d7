"""SequenceReverse, forward, on MXNet 2.0.0b1: 2.06 times as slow as a neighbour that does equal work.

slow       156 us a call, where 76.0 us were expected
fast       76.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.06 times, 95% interval 1.96 to 2.15, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.06 times: float32: as many elements, 2 times the bytes
roofline   12.6 times: this machine can move and compute as much in that time

Measure it again: python SequenceReverse-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SequenceReverse",
    category="sequence",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SequenceReverse/533e766e", profile="finding")
def slow():
    return dict(
        data=tensor((625, 1, 10), "float16", uniform(-1.0, 1.0)),
        sequence_length=tensor((1,), "float16", integers(1, 626)),
        axis=0,
        use_sequence_length=True,
    )


@case("SequenceReverse/b9d9f90e", profile="contrast")
def fast():
    return dict(
        data=tensor((625, 1, 10), "float32", uniform(-1.0, 1.0)),
        sequence_length=tensor((1,), "float32", integers(1, 626)),
        axis=0,
        use_sequence_length=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
