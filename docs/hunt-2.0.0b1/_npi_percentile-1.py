"""_npi_percentile, forward, on MXNet 2.0.0b1: 3.09 times as slow as a neighbour that does equal work.

slow       138 us a call, where 46.2 us were expected
fast       46.2 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.09 times, 95% interval 2.94 to 3.23, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.09 times: float64: as many elements, 4 times the bytes
roofline   11.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_percentile-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_percentile",
    category="statistics",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_percentile/0d1b18da", profile="finding")
def slow():
    return dict(
        a=tensor((128, 1), "float16", uniform(-1.0, 1.0)),
        q=tensor((10,), "float16", uniform(0.0, 100.0)),
        axis=(1,),
    )


@case("_npi_percentile/a8d513f0", profile="contrast")
def fast():
    return dict(
        a=tensor((128, 1), "float64", uniform(-1.0, 1.0)),
        q=tensor((10,), "float64", uniform(0.0, 100.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.76, threads=1))
