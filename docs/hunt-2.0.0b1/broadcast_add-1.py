"""broadcast_add, backward, on MXNet 2.0.0b1: 2.15 times as slow as a neighbour that does equal work.

slow       158 us a call, where 73.0 us were expected
fast       73.0 us a call
step       rhs.shape[0] of 4
ratio      2.15 times, 95% interval 2.08 to 2.26, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.15 times: rhs.shape[0] of 4
roofline   13.1 times: this machine can move and compute as much in that time
forward    4.20 times: the forward pass of the same input

Measure it again: python broadcast_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_add/bd7c7c69", profile="finding")
def slow():
    return dict(
        lhs=tensor((4, 128), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 128), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_add/746b98fc", profile="contrast")
def fast():
    return dict(
        lhs=tensor((4, 128), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((4, 128), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.47, threads=1))
