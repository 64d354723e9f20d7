"""_npi_sqrt, backward, on MXNet 2.0.0b1: 2.62 times as slow as a neighbour that does equal work.

slow       149 us a call, where 58.3 us were expected
fast       58.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.62 times, 95% interval 2.53 to 2.70, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.62 times: float32: as many elements, 2 times the bytes
roofline   12.2 times: this machine can move and compute as much in that time
forward    2.18 times: the forward pass of the same input

Measure it again: python _npi_sqrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sqrt",
    category="power",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.62, threads=1))
