"""_npi_cos, backward, on MXNet 1.9.1: 3.21 times as slow as a neighbour that does equal work.

slow       155 us a call, where 48.0 us were expected
fast       48.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.21 times, 95% interval 3.08 to 3.35, with 1 thread
family     float16
also       forward, 3.38 times
neighbour  3.21 times: float32: as many elements, 2 times the bytes
roofline   9.92 times: this machine can move and compute as much in that time
forward    1.86 times: the forward pass of the same input

Measure it again: python _npi_cos-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_cos",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_cos/f52c650a", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_cos/cad99fc5", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.79, threads=1))
