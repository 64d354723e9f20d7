"""_npi_tan, backward, on MXNet 1.9.1: 3.02 times as slow as a neighbour that does equal work.

slow       177 us a call, where 58.3 us were expected
fast       58.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.02 times, 95% interval 2.73 to 3.35, with 1 thread
family     float16
also       forward, 2.21 times
neighbour  3.02 times: float32: as many elements, 2 times the bytes
roofline   11.3 times: this machine can move and compute as much in that time
forward    1.61 times: the forward pass of the same input

Measure it again: python _npi_tan-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_tan",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_tan/937b5ea9", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_tan/9aa24cf8", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.74, threads=1))
