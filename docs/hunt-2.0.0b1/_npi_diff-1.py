"""_npi_diff, forward, on MXNet 2.0.0b1: 5.54 times as slow as a neighbour that does equal work.

slow       99.4 us a call, where 18.1 us were expected
fast       18.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      5.54 times, 95% interval 5.20 to 5.70, with 1 thread
family     float16
neighbour  5.54 times: int32: as many elements, 2 times the bytes
roofline   8.23 times: this machine can move and compute as much in that time

Measure it again: python _npi_diff-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_diff",
    category="cumulative",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_diff/78e14437", profile="finding")
def slow():
    return dict(
        a=tensor((1570,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_diff/7fcd70b0", profile="contrast")
def fast():
    return dict(
        a=tensor((1570,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
