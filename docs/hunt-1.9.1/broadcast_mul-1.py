"""broadcast_mul, backward, on MXNet 1.9.1: 2.44 times as slow as a neighbour that does equal work.

slow       180 us a call, where 78.1 us were expected
fast       78.1 us a call
step       lhs.shape[0] of 1 and lhs.shape[1] of 512
ratio      2.44 times, 95% interval 2.35 to 2.62, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.44 times: lhs.shape[0] of 1 and lhs.shape[1] of 512
roofline   11.7 times: this machine can move and compute as much in that time
forward    5.77 times: the forward pass of the same input

Measure it again: python broadcast_mul-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_mul",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_mul/8ab26dd0", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 256), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_mul/d1e8a60e", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1, 512), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 512), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.56, threads=1))
