"""_npi_expm1, backward, on MXNet 1.9.1: 2.34 times as slow as a neighbour that does equal work.

slow       97.3 us a call, where 41.5 us were expected
fast       41.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.34 times, 95% interval 2.30 to 2.39, with 1 thread
family     float16, and the first dimension is 2,047 or more
also       forward, 2.65 times
neighbour  2.34 times: float32: as many elements, 2 times the bytes
roofline   6.27 times: this machine can move and compute as much in that time
forward    1.53 times: the forward pass of the same input

Measure it again: python _npi_expm1-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_expm1",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_expm1/1ac54cf6", profile="finding")
def slow():
    return dict(
        x=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_expm1/8931be3c", profile="contrast")
def fast():
    return dict(
        x=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.53, threads=1))
