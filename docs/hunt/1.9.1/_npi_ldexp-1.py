"""_npi_ldexp, backward, on MXNet 1.9.1: 2.16 times as slow as a neighbour that does equal work.

slow       267 us a call, where 125 us were expected
fast       125 us a call
step       lhs.shape[1] of 10
ratio      2.16 times, 95% interval 2.12 to 2.20, with 1 thread
family     dtype is float32 or float64 or float16 and lhs.shape[1] < 10
neighbour  2.14 times: lhs.shape[1] of 10 takes 47% of the time
model      1.39 times: half of 33 other inputs lie within a factor of 1.45 of it
roofline   14.8 times: this machine can move and compute as much in that time
forward    4.10 times: the forward pass of the same input

Measure it again: python _npi_ldexp-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ldexp",
    category="broadcast",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_ldexp/071fb75b", profile="finding")
def slow():
    return dict(
        lhs=tensor((256, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((256, 10), "float32", uniform(-4.0, 4.0)),
    )


@case("_npi_ldexp/a0b96422", profile="contrast")
def fast():
    return dict(
        lhs=tensor((256, 10), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((256, 10), "float32", uniform(-4.0, 4.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.47, threads=1))
