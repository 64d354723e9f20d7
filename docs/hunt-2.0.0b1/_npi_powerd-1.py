"""_npi_powerd, forward, on MXNet 2.0.0b1: 1.94 times as slow as a neighbour that does equal work.

slow       226 us a call, where 122 us were expected
fast       122 us a call
step       float64: as many elements, 4 times the bytes
ratio      1.94 times, 95% interval 1.82 to 2.06, with 1 thread
family     float16
neighbour  1.94 times: float64: as many elements, 4 times the bytes
roofline   18.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_powerd-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_powerd",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_powerd/c47e2c56", profile="finding")
def slow():
    return dict(
        input1=tensor((4096,), "float16", uniform(0.5, 3.0)),
    )


@case("_npi_powerd/08fe0f81", profile="contrast")
def fast():
    return dict(
        input1=tensor((4096,), "float64", uniform(0.5, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.39, threads=1))
