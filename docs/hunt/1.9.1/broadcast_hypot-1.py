"""broadcast_hypot, backward, on MXNet 1.9.1: 5.35 times as slow as a neighbour that does equal work.

slow       5,121 us a call, where 972 us were expected
fast       972 us a call
step       rhs.shape[0] of 256
ratio      5.35 times, 95% interval 5.25 to 5.54, with 1 thread
family     rhs.shape[0] < 256
neighbour  5.27 times: rhs.shape[0] of 256 takes 19% of the time
roofline   140 times: this machine can move and compute as much in that time
forward    9.03 times: the forward pass of the same input

Measure it again: python broadcast_hypot-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.31 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_hypot",
    category="broadcast",
    mxnet="1.9.1",
    seed=1,
)


@case("broadcast_hypot/2a2e16fa", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("broadcast_hypot/64433c68", profile="contrast")
def fast():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.31, threads=1))
