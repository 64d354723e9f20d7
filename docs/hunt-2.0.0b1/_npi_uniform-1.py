"""_npi_uniform, forward, on MXNet 2.0.0b1: 3.06 times as slow as a neighbour that does equal work.

slow       113 us a call, where 36.6 us were expected
fast       36.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.06 times, 95% interval 2.92 to 3.11, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.06 times: float64: as many elements, 4 times the bytes
roofline   9.32 times: this machine can move and compute as much in that time

Measure it again: python _npi_uniform-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_uniform",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_uniform/94a0c788", profile="finding")
def slow():
    return dict(
        input1=tensor((1,), "float16", uniform(-2.0, 0.0)),
        input2=tensor((2048,), "float16", uniform(1.0, 3.0)),
        high=None,
        low=None,
    )


@case("_npi_uniform/e59854bd", profile="contrast")
def fast():
    return dict(
        input1=tensor((1,), "float64", uniform(-2.0, 0.0)),
        input2=tensor((2048,), "float64", uniform(1.0, 3.0)),
        high=None,
        low=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.75, threads=1))
