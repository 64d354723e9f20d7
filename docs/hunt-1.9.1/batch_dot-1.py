"""batch_dot, backward, on MXNet 1.9.1: 2.37 times as slow as a neighbour that does equal work.

slow       369 us a call, where 154 us were expected
fast       104 us a call
step       rhs.shape[0] of 64 and rhs.shape[2] of 32
ratio      2.37 times, 95% interval 2.26 to 2.47, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 3.71 times
neighbour  2.37 times: rhs.shape[0] of 64 and rhs.shape[2] of 32
roofline   23.5 times: this machine can move and compute as much in that time
forward    3.36 times: the forward pass of the same input

Measure it again: python batch_dot-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.27 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="batch_dot",
    category="gemm",
    mxnet="1.9.1",
    seed=0,
)


@case("batch_dot/a5379b96", profile="finding")
def slow():
    return dict(
        lhs=tensor((2048, 1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((2048, 1, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("batch_dot/e7730565", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 1, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((64, 1, 32), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.27, threads=1))
