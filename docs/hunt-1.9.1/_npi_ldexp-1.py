"""_npi_ldexp, backward, on MXNet 1.9.1: 2.38 times as slow as a neighbour that does equal work.

slow       241 us a call, where 104 us were expected
fast       104 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.38 times, 95% interval 2.31 to 2.51, with 1 thread
family     float16
neighbour  2.38 times: float32: as many elements, 2 times the bytes
roofline   15.6 times: this machine can move and compute as much in that time
forward    6.85 times: the forward pass of the same input

Measure it again: python _npi_ldexp-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_ldexp",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_ldexp/5b4744b4", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 1), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float16", uniform(-4.0, 4.0)),
    )


@case("_npi_ldexp/063f4262", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(-4.0, 4.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
