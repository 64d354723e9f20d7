"""_npi_reciprocal, backward, on MXNet 2.0.0b1: 3.96 times as slow as a neighbour that does equal work.

slow       171 us a call, where 43.8 us were expected
fast       43.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.96 times, 95% interval 3.86 to 4.30, with 1 thread
family     float16
also       forward, 4.07 times
neighbour  3.96 times: float32: as many elements, 2 times the bytes
roofline   13.8 times: this machine can move and compute as much in that time
forward    1.83 times: the forward pass of the same input

Measure it again: python _npi_reciprocal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_reciprocal",
    category="power",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_reciprocal/e9255d0e", profile="finding")
def slow():
    return dict(
        x=tensor((8192,), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_reciprocal/33e1f30b", profile="contrast")
def fast():
    return dict(
        x=tensor((8192,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.99, threads=1))
