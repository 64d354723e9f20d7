"""_npi_sin, backward, on MXNet 1.9.1: 2.56 times as slow as a neighbour that does equal work.

slow       204 us a call, where 80.7 us were expected
fast       80.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.56 times, 95% interval 2.44 to 2.69, with 1 thread
family     float16
also       forward, 2.52 times
neighbour  2.56 times: float32: as many elements, 2 times the bytes
roofline   13.1 times: this machine can move and compute as much in that time
forward    1.83 times: the forward pass of the same input

Measure it again: python _npi_sin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.6 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sin",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_sin/fdb0433c", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_sin/ef4e137e", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.6, threads=1))
