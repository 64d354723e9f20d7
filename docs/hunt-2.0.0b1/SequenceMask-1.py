"""SequenceMask, forward, on MXNet 2.0.0b1: 3.11 times as slow as a neighbour that does equal work.

slow       132 us a call, where 42.7 us were expected
fast       42.7 us a call
step       int32: as many elements, 4 times the bytes
ratio      3.11 times, 95% interval 3.03 to 3.15, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.11 times: int32: as many elements, 4 times the bytes
roofline   8.64 times: this machine can move and compute as much in that time

Measure it again: python SequenceMask-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="SequenceMask",
    category="sequence",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SequenceMask/d8b28e6f", profile="finding")
def slow():
    return dict(
        data=tensor((16, 32, 256), "int8", integers(0, 10)),
        sequence_length=tensor((32,), "int8", integers(1, 17)),
        use_sequence_length=True,
    )


@case("SequenceMask/55987e62", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 32, 256), "int32", integers(0, 10)),
        sequence_length=tensor((32,), "int32", integers(1, 17)),
        use_sequence_length=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.76, threads=1))
