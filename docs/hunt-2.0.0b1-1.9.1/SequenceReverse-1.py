"""SequenceReverse, forward: 2.03 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       110 us a call, where 52.4 us were expected
fast       52.4 us a call
step       the same input on MXNet 1.9.1
ratio      2.03 times, 95% interval 1.88 to 2.21, with 1 thread
family     a dtype other than float32, and use_sequence_length=True
side       2.03 times: the same input on MXNet 1.9.1
roofline   7.28 times: this machine can move and compute as much in that time

Measure it again: python SequenceReverse-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.42 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SequenceReverse",
    category="sequence",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SequenceReverse/c728c1c8", profile="finding")
def both():
    return dict(
        data=tensor((512, 1, 8), "float16", uniform(-1.0, 1.0)),
        sequence_length=tensor((1,), "float16", integers(1, 513)),
        use_sequence_length=True,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.42, threads=1, sides=sides))
