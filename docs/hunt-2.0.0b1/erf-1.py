"""erf, backward, on MXNet 2.0.0b1: 2.52 times as slow as a neighbour that does equal work.

slow       124 us a call, where 49.1 us were expected
fast       49.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.52 times, 95% interval 2.42 to 2.65, with 1 thread
family     float16
neighbour  2.52 times: float32: as many elements, 2 times the bytes
roofline   10.2 times: this machine can move and compute as much in that time
forward    3.00 times: the forward pass of the same input

Measure it again: python erf-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.59 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="erf",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("erf/d24c4ffb", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("erf/c951ede2", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.59, threads=1))
