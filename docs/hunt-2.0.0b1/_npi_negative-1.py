"""_npi_negative, forward, on MXNet 2.0.0b1: 6.33 times as slow as a neighbour that does equal work.

slow       96.6 us a call, where 15.3 us were expected
fast       15.3 us a call
step       int64: as many elements, 4 times the bytes
ratio      6.33 times, 95% interval 6.11 to 6.59, with 1 thread
family     float16
neighbour  6.33 times: int64: as many elements, 4 times the bytes
roofline   7.53 times: this machine can move and compute as much in that time

Measure it again: python _npi_negative-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_negative",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_negative/094da1ce", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_negative/811de75d", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.52, threads=1))
