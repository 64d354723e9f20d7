"""_npi_reciprocal, backward, on MXNet 1.9.1: 7.21 times as slow as a neighbour that does equal work.

slow       359 us a call, where 50.2 us were expected
fast       50.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.21 times, 95% interval 6.86 to 7.53, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 4.73 times
neighbour  7.21 times: float32: as many elements, 2 times the bytes
roofline   22.3 times: this machine can move and compute as much in that time
forward    2.71 times: the forward pass of the same input

Measure it again: python _npi_reciprocal-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_reciprocal",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_reciprocal/d461655e", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_reciprocal/96dccd6b", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.68, threads=1))
