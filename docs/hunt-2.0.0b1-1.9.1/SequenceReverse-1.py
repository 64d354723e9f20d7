"""SequenceReverse, forward: 2.34 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       102 us a call, where 43.0 us were expected
fast       43.0 us a call
step       the same input on MXNet 1.9.1
ratio      2.34 times, 95% interval 2.28 to 2.41, with 1 thread
family     float16
side       2.34 times: the same input on MXNet 1.9.1
roofline   8.49 times: this machine can move and compute as much in that time

Measure it again: python SequenceReverse-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.53 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SequenceReverse",
    category="sequence",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SequenceReverse/1ae45b45", profile="finding")
def both():
    return dict(
        data=tensor((16, 3, 87), "float16", uniform(-1.0, 1.0)),
        sequence_length=tensor((3,), "float16", integers(1, 17)),
        use_sequence_length=True,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.53, threads=1, sides=sides))
