"""_npi_arange, forward, on MXNet 1.9.1: 9.50 times as slow as a neighbour that does equal work.

slow       1,582 us a call, where 200 us were expected
fast       200 us a call
step       dtype=float64
ratio      9.50 times, 95% interval 7.70 to 12.3, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  9.50 times: dtype=float64
model      11.9 times: half of 40 other inputs lie within a factor of 1.17 of it
roofline   118 times: this machine can move and compute as much in that time

Measure it again: python _npi_arange-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.08 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_arange",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arange/8ccfd125", profile="finding")
def slow():
    return dict(
        dtype="float16",
        start=54555.0,
    )


@case("_npi_arange/d2317c3d", profile="contrast")
def fast():
    return dict(
        dtype="float64",
        start=54555.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.08, threads=1))
