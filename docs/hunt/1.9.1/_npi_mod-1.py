"""_npi_mod, backward, on MXNet 1.9.1: 3.68 times as slow as a neighbour that does equal work.

slow       628 us a call, where 177 us were expected
fast       177 us a call
step       rhs.shape[0] of 64
ratio      3.68 times, 95% interval 3.50 to 3.87, with 1 thread
family     rhs.shape[0] < 64
neighbour  3.55 times: rhs.shape[0] of 64 takes 28% of the time
model      2.11 times: half of 24 other inputs lie within a factor of 1.19 of it
roofline   32.0 times: this machine can move and compute as much in that time
forward    2.32 times: the forward pass of the same input

Measure it again: python _npi_mod-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.92 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mod",
    category="broadcast",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_mod/29bb0e30", profile="finding")
def slow():
    return dict(
        lhs=tensor((64, 128), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 128), "float32", uniform(0.1, 2.0)),
    )


@case("_npi_mod/c5a5825c", profile="contrast")
def fast():
    return dict(
        lhs=tensor((64, 128), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((64, 128), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.92, threads=1))
