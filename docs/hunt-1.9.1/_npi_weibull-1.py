"""_npi_weibull, forward, on MXNet 1.9.1: 2.69 times as slow as a neighbour that does equal work.

slow       113 us a call, where 42.1 us were expected
fast       42.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.69 times, 95% interval 2.37 to 2.81, with 1 thread
family     float16, and a is not given
neighbour  2.69 times: float64: as many elements, 4 times the bytes
roofline   7.28 times: this machine can move and compute as much in that time

Measure it again: python _npi_weibull-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_weibull",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_weibull/92d39e5e", profile="finding")
def slow():
    return dict(
        input1=tensor((1024,), "float16", uniform(0.5, 3.0)),
    )


@case("_npi_weibull/139cd60f", profile="contrast")
def fast():
    return dict(
        input1=tensor((1024,), "float64", uniform(0.5, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.64, threads=1))
