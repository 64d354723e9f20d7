"""broadcast_add, backward, on MXNet 1.9.1: 2.48 times as slow as a neighbour that does equal work.

slow       204 us a call, where 82.0 us were expected
fast       82.0 us a call
step       lhs.shape[0] of 8,192
ratio      2.48 times, 95% interval 2.38 to 2.63, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.48 times: lhs.shape[0] of 8,192
roofline   9.85 times: this machine can move and compute as much in that time
forward    5.66 times: the forward pass of the same input

Measure it again: python broadcast_add-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_add",
    category="broadcast",
    mxnet="1.9.1",
    seed=5,
)


@case("broadcast_add/208218c0", profile="finding")
def slow():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


@case("broadcast_add/9d47b939", profile="contrast")
def fast():
    return dict(
        lhs=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.57, threads=1))
