"""_npi_sqrt, backward, on MXNet 1.9.1: 3.15 times as slow as a neighbour that does equal work.

slow       122 us a call, where 38.0 us were expected
fast       38.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.15 times, 95% interval 3.01 to 3.26, with 1 thread
family     float16
also       forward, 2.15 times
neighbour  3.15 times: float32: as many elements, 2 times the bytes
roofline   7.80 times: this machine can move and compute as much in that time
forward    2.31 times: the forward pass of the same input

Measure it again: python _npi_sqrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sqrt",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_sqrt/ab975ec0", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_sqrt/405dc082", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.77, threads=1))
