"""SequenceMask, forward, on MXNet 1.9.1: 2.69 times as slow as a neighbour that does equal work.

slow       109 us a call, where 37.8 us were expected
fast       37.8 us a call
step       float32: as many elements, 4 times the bytes
ratio      2.69 times, 95% interval 2.55 to 2.90, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.69 times: float32: as many elements, 4 times the bytes
roofline   6.46 times: this machine can move and compute as much in that time

Measure it again: python SequenceMask-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SequenceMask",
    category="sequence",
    mxnet="1.9.1",
    seed=0,
)


@case("SequenceMask/b0075bcf", profile="finding")
def slow():
    return dict(
        data=tensor((8, 32, 256), "int8", integers(0, 10)),
        sequence_length=tensor((32,), "int8", integers(1, 9)),
        use_sequence_length=True,
    )


@case("SequenceMask/dd3c4d76", profile="contrast")
def fast():
    return dict(
        data=tensor((8, 32, 256), "float32", uniform(-1.0, 1.0)),
        sequence_length=tensor((32,), "float32", integers(1, 9)),
        use_sequence_length=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.64, threads=1))
