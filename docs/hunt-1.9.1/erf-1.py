"""erf, backward, on MXNet 1.9.1: 2.12 times as slow as a neighbour that does equal work.

slow       134 us a call, where 68.9 us were expected
fast       68.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.12 times, 95% interval 1.93 to 2.32, with 1 thread
family     float16
neighbour  2.12 times: float64: as many elements, 4 times the bytes
roofline   8.65 times: this machine can move and compute as much in that time
forward    3.45 times: the forward pass of the same input

Measure it again: python erf-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="erf",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("erf/8ade7a83", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", uniform(-1.0, 1.0)),
    )


@case("erf/d208aacf", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
