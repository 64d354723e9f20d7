"""_npi_mod, backward, on MXNet 2.0.0b1: 17.5 times as slow as a neighbour that does equal work.

slow       7,095 us a call, where 410 us were expected
fast       410 us a call
step       rhs.shape[0] of 256
ratio      17.5 times, 95% interval 16.9 to 18.0, with 1 thread
family     rhs.shape[0] < 256
neighbour  17.3 times: rhs.shape[0] of 256 takes 6% of the time
roofline   189 times: this machine can move and compute as much in that time
forward    4.29 times: the forward pass of the same input

Measure it again: python _npi_mod-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mod",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_mod/c74435f5", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(0.1, 2.0)),
    )


@case("_npi_mod/a83aafd4", profile="contrast")
def fast():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((256, 256), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=4.18, threads=1))
