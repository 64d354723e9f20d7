"""_npi_argmin, forward, on MXNet 2.0.0b1: 3.39 times as slow as a neighbour that does equal work.

slow       130 us a call, where 38.6 us were expected
fast       38.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.39 times, 95% interval 3.33 to 3.49, with 1 thread
family     float16, and 3,063 elements or more
neighbour  3.39 times: float64: as many elements, 4 times the bytes
roofline   10.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_argmin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_argmin",
    category="sorting",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_argmin/e170cd22", profile="finding")
def slow():
    return dict(
        data=tensor((6250,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_argmin/ea3f9c0e", profile="contrast")
def fast():
    return dict(
        data=tensor((6250,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.84, threads=1))
