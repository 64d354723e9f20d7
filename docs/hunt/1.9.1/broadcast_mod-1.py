"""broadcast_mod, backward, on MXNet 1.9.1: 7.79 times as slow as a neighbour that does equal work.

slow       2,648 us a call, where 344 us were expected
fast       344 us a call
step       rhs.shape[0] of 256
ratio      7.79 times, 95% interval 7.59 to 8.46, with 1 thread
family     rhs.shape[0] < 256
neighbour  7.70 times: rhs.shape[0] of 256 takes 13% of the time
roofline   72.6 times: this machine can move and compute as much in that time
forward    1.52 times: the forward pass of the same input

Measure it again: python broadcast_mod-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_mod",
    category="broadcast",
    mxnet="1.9.1",
    seed=1,
)


@case("broadcast_mod/e27f012c", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(0.1, 2.0)),
    )


@case("broadcast_mod/c37b3984", profile="contrast")
def fast():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((256, 256), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.79, threads=1))
