"""_npi_logistic, forward, on MXNet 1.9.1: 2.38 times as slow as a neighbour that does equal work.

slow       173 us a call, where 66.6 us were expected
fast       66.6 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.38 times, 95% interval 2.16 to 2.49, with 1 thread
family     float16
neighbour  2.38 times: int32: as many elements, 2 times the bytes
roofline   11.1 times: this machine can move and compute as much in that time

Measure it again: python _npi_logistic-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_logistic",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_logistic/b7583d3c", profile="finding")
def slow():
    return dict(
        input1=tensor((2048,), "float16", uniform(0.5, 2.0)),
        loc=-0.125,
        scale=None,
    )


@case("_npi_logistic/7d220777", profile="contrast")
def fast():
    return dict(
        input1=tensor((2048,), "int32", uniform(0.5, 2.0)),
        loc=-0.125,
        scale=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.54, threads=1))
