"""_npi_add, backward, on MXNet 1.9.1: 2.19 times as slow as a neighbour that does equal work.

slow       95.9 us a call, where 44.0 us were expected
fast       44.0 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.19 times, 95% interval 2.16 to 2.32, with 1 thread
family     float16
neighbour  2.19 times: float64: as many elements, 4 times the bytes
roofline   6.21 times: this machine can move and compute as much in that time
forward    3.36 times: the forward pass of the same input

Measure it again: python _npi_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.48 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_add",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_add/4e8838a6", profile="finding")
def slow():
    return dict(
        lhs=tensor((1,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((320,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_add/147d02e0", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1,), "float64", uniform(-1.0, 1.0)),
        rhs=tensor((320,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.48, threads=1))
