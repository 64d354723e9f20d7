"""_npi_transpose, forward, on MXNet 2.0.0b1: 3.33 times as slow as a neighbour that does equal work.

slow       90.3 us a call, where 27.5 us were expected
fast       27.5 us a call
step       axes 0 and 1 exchanged
ratio      3.33 times, 95% interval 3.25 to 3.60, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.33 times: axes 0 and 1 exchanged
roofline   4.85 times: this machine can move and compute as much in that time

Measure it again: python _npi_transpose-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.83 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_transpose",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_transpose/7ccddf9c", profile="finding")
def slow():
    return dict(
        a=tensor((64, 1024), "float32", uniform(-1.0, 1.0)),
        axes=(1, 0),
    )


@case("_npi_transpose/a87ba7de", profile="contrast")
def fast():
    return dict(
        a=tensor((1024, 64), "float32", uniform(-1.0, 1.0)),
        axes=(0, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.83, threads=1))
