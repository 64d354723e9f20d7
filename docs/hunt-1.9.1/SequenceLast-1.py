"""SequenceLast, backward, on MXNet 1.9.1: 2.22 times as slow as a neighbour that does equal work.

slow       1,609 us a call, where 707 us were expected
fast       704 us a call
step       data.shape[1] of 107 and data.shape[2] of 594
ratio      2.22 times, 95% interval 2.07 to 2.37, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.22 times: data.shape[1] of 107 and data.shape[2] of 594
roofline   14.6 times: this machine can move and compute as much in that time
forward    3.66 times: the forward pass of the same input

Measure it again: python SequenceLast-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SequenceLast",
    category="sequence",
    mxnet="1.9.1",
    seed=0,
)


@case("SequenceLast/5591d7d0", profile="finding")
def slow():
    return dict(
        data=tensor((33, 7062, 9), "float32", uniform(-1.0, 1.0)),
        sequence_length=tensor((7062,), "float32", integers(1, 34)),
        axis=0,
        use_sequence_length=True,
    )


@case("SequenceLast/41352e4c", profile="contrast")
def fast():
    return dict(
        data=tensor((33, 107, 594), "float32", uniform(-1.0, 1.0)),
        sequence_length=tensor((107,), "float32", integers(1, 34)),
        axis=0,
        use_sequence_length=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.5, threads=1))
