"""_npi_arctanh, backward, on MXNet 1.9.1: 3.14 times as slow as a neighbour that does equal work.

slow       131 us a call, where 41.4 us were expected
fast       41.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.14 times, 95% interval 2.99 to 3.30, with 1 thread
family     float16
also       forward, 3.05 times
neighbour  3.14 times: float32: as many elements, 2 times the bytes
roofline   8.40 times: this machine can move and compute as much in that time

Measure it again: python _npi_arctanh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_arctanh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arctanh/bf5c1c8e", profile="finding")
def slow():
    return dict(
        x=tensor((4096,), "float16", uniform(-0.9, 0.9)),
    )


@case("_npi_arctanh/f8e8b0d3", profile="contrast")
def fast():
    return dict(
        x=tensor((4096,), "float32", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.77, threads=1))
