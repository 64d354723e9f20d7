"""_npi_fmod, backward, on MXNet 2.0.0b1: 2.61 times as slow as a neighbour that does equal work.

slow       178 us a call, where 68.6 us were expected
fast       68.6 us a call
step       lhs.shape[1] of 8
ratio      2.61 times, 95% interval 2.48 to 2.71, with 1 thread
family     the last dimension of lhs is 1, and the last dimension but one of lhs is at most 2,049
also       forward, 3.45 times
neighbour  2.61 times: lhs.shape[1] of 8
roofline   14.3 times: this machine can move and compute as much in that time
forward    3.65 times: the forward pass of the same input

Measure it again: python _npi_fmod-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fmod",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_fmod/9e1acc27", profile="finding")
def slow():
    return dict(
        lhs=tensor((512, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((512, 8), "float32", uniform(0.1, 2.0)),
    )


@case("_npi_fmod/5c762b96", profile="contrast")
def fast():
    return dict(
        lhs=tensor((512, 8), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((512, 8), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.61, threads=1))
