"""_npi_radians, backward, on MXNet 1.9.1: 3.81 times as slow as a neighbour that does equal work.

slow       159 us a call, where 43.2 us were expected
fast       43.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.81 times, 95% interval 3.58 to 3.99, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 7.22 times
neighbour  3.81 times: float32: as many elements, 2 times the bytes
roofline   9.86 times: this machine can move and compute as much in that time

Measure it again: python _npi_radians-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.95 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_radians",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_radians/0ef517fe", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_radians/8f65f6b6", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.95, threads=1))
