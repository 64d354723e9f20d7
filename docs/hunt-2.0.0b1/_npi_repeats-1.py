"""_npi_repeats, forward, on MXNet 2.0.0b1: 27.6 times as slow as a neighbour that does equal work.

slow       37,612 us a call, where 1,332 us were expected
fast       1,332 us a call
step       axes 0 and 1 exchanged
ratio      27.6 times, 95% interval 24.8 to 29.9, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  27.6 times: axes 0 and 1 exchanged
roofline   2,218 times: this machine can move and compute as much in that time

Measure it again: python _npi_repeats-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_repeats",
    category="expanding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_repeats/f82b55da", profile="finding")
def slow():
    return dict(
        data=tensor((512, 64), "float32", uniform(-1.0, 1.0)),
        axis=1,
        repeats=(2,),
    )


@case("_npi_repeats/95371102", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 512), "float32", uniform(-1.0, 1.0)),
        axis=0,
        repeats=(2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=5.25, threads=1))
