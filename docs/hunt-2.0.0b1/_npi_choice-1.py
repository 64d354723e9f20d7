"""_npi_choice, forward, on MXNet 2.0.0b1: 3.26 times as slow as a neighbour that does equal work.

slow       64.9 us a call, where 19.4 us were expected
fast       19.4 us a call
step       no replace
ratio      3.26 times, 95% interval 2.97 to 3.66, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.26 times: no replace
roofline   5.41 times: this machine can move and compute as much in that time

Measure it again: python _npi_choice-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_choice",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_choice/4ce4963f", profile="finding")
def slow():
    return dict(
        a=24989,
        replace=False,
        size=(1, 1),
    )


@case("_npi_choice/f05a2e92", profile="contrast")
def fast():
    return dict(
        a=24989,
        size=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.81, threads=1))
