"""_npi_rayleigh, forward, on MXNet 2.0.0b1: 2.03 times as slow as a neighbour that does equal work.

slow       405 us a call, where 199 us were expected
fast       199 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.03 times, 95% interval 1.92 to 2.05, with 1 thread
family     float16
neighbour  2.03 times: int64: as many elements, 4 times the bytes
roofline   30.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_rayleigh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rayleigh",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rayleigh/6151b6bc", profile="finding")
def slow():
    return dict(
        input1=tensor((64, 256), "float16", uniform(0.5, 2.0)),
        scale=None,
        size=None,
    )


@case("_npi_rayleigh/35a3fc91", profile="contrast")
def fast():
    return dict(
        input1=tensor((64, 256), "int64", uniform(0.5, 2.0)),
        scale=None,
        size=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
