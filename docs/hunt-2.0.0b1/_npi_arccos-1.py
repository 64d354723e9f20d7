"""_npi_arccos, backward, on MXNet 2.0.0b1: 2.31 times as slow as a neighbour that does equal work.

slow       113 us a call, where 51.3 us were expected
fast       51.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.31 times, 95% interval 2.16 to 2.56, with 1 thread
family     float16
neighbour  2.31 times: float32: as many elements, 2 times the bytes
roofline   9.29 times: this machine can move and compute as much in that time
forward    1.65 times: the forward pass of the same input

Measure it again: python _npi_arccos-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arccos",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_arccos/626d9988", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(-0.9, 0.9)),
    )


@case("_npi_arccos/595589d8", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.52, threads=1))
