"""_npi_weibull, forward, on MXNet 2.0.0b1: 2.40 times as slow as a neighbour that does equal work.

slow       154 us a call, where 63.5 us were expected
fast       63.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.40 times, 95% interval 2.30 to 2.49, with 1 thread
family     float16
neighbour  2.40 times: float64: as many elements, 4 times the bytes
roofline   12.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_weibull-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_weibull",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_weibull/66135279", profile="finding")
def slow():
    return dict(
        input1=tensor((2048,), "float16", uniform(0.5, 3.0)),
    )


@case("_npi_weibull/c3e5df07", profile="contrast")
def fast():
    return dict(
        input1=tensor((2048,), "float64", uniform(0.5, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.55, threads=1))
