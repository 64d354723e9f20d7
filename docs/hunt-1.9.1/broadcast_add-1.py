"""broadcast_add, backward, on MXNet 1.9.1: 3.06 times as slow as a neighbour that does equal work.

slow       126 us a call, where 40.0 us were expected
fast       40.0 us a call
step       rhs.shape[0] of 2
ratio      3.06 times, 95% interval 2.92 to 3.21, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.06 times: rhs.shape[0] of 2
roofline   8.16 times: this machine can move and compute as much in that time
forward    4.19 times: the forward pass of the same input

Measure it again: python broadcast_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_add/ef479bb6", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 256), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_add/5e5ab4e2", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 256), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((2, 256), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.75, threads=1))
