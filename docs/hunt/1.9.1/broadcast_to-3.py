"""broadcast_to, backward, on MXNet 1.9.1: 2.63 times as slow as a neighbour that does equal work.

slow       59,140 us a call, where 23,130 us were expected
fast       23,130 us a call
step       axes 0 and 1 exchanged
ratio      2.63 times, 95% interval 2.46 to 2.74, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.63 times: axes 0 and 1 exchanged
model      2.39 times: half of 54 other inputs lie within a factor of 1.16 of it
roofline   32.0 times: this machine can move and compute as much in that time
forward    2.78 times: the forward pass of the same input

Measure it again: python broadcast_to-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_to/24f03bea", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1048576, 1), "float32", uniform(-1.0, 1.0)),
        shape=(2, 1048576, 2),
    )


@case("broadcast_to/ae4caef7", profile="contrast")
def fast():
    return dict(
        data=tensor((1048576, 1, 1), "float32", uniform(-1.0, 1.0)),
        shape=(1048576, 2, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.62, threads=1))
