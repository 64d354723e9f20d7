"""broadcast_minimum, backward, on MXNet 1.9.1: 6.16 times as slow as a neighbour that does equal work.

slow       485 us a call, where 76.6 us were expected
fast       76.6 us a call
step       rhs.shape[0] of 64
ratio      6.16 times, 95% interval 5.69 to 6.64, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  6.16 times: rhs.shape[0] of 64
roofline   28.8 times: this machine can move and compute as much in that time
forward    8.44 times: the forward pass of the same input
kin        2.29 times: broadcast_add of the same input

Measure it again: python broadcast_minimum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.48 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_minimum",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_minimum/19967731", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("broadcast_minimum/fed81504", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.48, threads=1))
