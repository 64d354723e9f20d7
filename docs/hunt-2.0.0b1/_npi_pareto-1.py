"""_npi_pareto, forward, on MXNet 2.0.0b1: 3.15 times as slow as a neighbour that does equal work.

slow       106 us a call, where 33.8 us were expected
fast       33.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.15 times, 95% interval 3.03 to 3.18, with 1 thread
family     float16, and a is not given
neighbour  3.15 times: float64: as many elements, 4 times the bytes
roofline   8.79 times: this machine can move and compute as much in that time

Measure it again: python _npi_pareto-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_pareto",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_pareto/278e7f23", profile="finding")
def slow():
    return dict(
        input1=tensor((1024,), "float16", uniform(0.5, 3.0)),
    )


@case("_npi_pareto/780ec90f", profile="contrast")
def fast():
    return dict(
        input1=tensor((1024,), "float64", uniform(0.5, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
