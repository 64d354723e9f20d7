"""Activation, backward, on MXNet 2.0.0b1: 2.35 times as slow as a neighbour that does equal work.

slow       360 us a call, where 153 us were expected
fast       76.5 us a call
step       float32: as many elements, half the bytes
ratio      2.35 times, 95% interval 2.28 to 2.42, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.35 times: float32: as many elements, half the bytes
roofline   14.3 times: this machine can move and compute as much in that time
forward    5.49 times: the forward pass of the same input

Measure it again: python Activation-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.06 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Activation",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Activation/7b9d9604", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float64", uniform(-1.0, 1.0)),
        act_type="relu",
    )


@case("Activation/acb41353", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
        act_type="relu",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=3.06, threads=1))
