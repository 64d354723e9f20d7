"""broadcast_add, backward, on MXNet 1.9.1: 5.14 times as slow as a neighbour that does equal work.

slow       251 us a call, where 48.9 us were expected
fast       48.9 us a call
step       rhs.shape[0] of 16,384
ratio      5.14 times, 95% interval 4.95 to 5.22, with 1 thread
family     the last dimension of rhs is 1, and the first dimension of rhs is at most 129
neighbour  5.14 times: rhs.shape[0] of 16,384
model      3.95 times: half of 45 other inputs lie within a factor of 1.34 of it
roofline   11.6 times: this machine can move and compute as much in that time
forward    5.82 times: the forward pass of the same input

Measure it again: python broadcast_add-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.27 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_add/372ebf99", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
    )


@case("broadcast_add/2faf0631", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.27, threads=1))
