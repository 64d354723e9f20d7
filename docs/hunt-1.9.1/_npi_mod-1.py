"""_npi_mod, backward, on MXNet 1.9.1: 2.71 times as slow as a neighbour that does equal work.

slow       176 us a call, where 69.3 us were expected
fast       69.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.71 times, 95% interval 2.53 to 2.92, with 1 thread
family     float16
neighbour  2.71 times: float32: as many elements, 2 times the bytes
roofline   11.4 times: this machine can move and compute as much in that time
forward    2.80 times: the forward pass of the same input

Measure it again: python _npi_mod-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mod",
    category="broadcast",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_mod/93caaeaa", profile="finding")
def slow():
    return dict(
        lhs=tensor((2, 1), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_mod/7d46a97b", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 256), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.64, threads=1))
