"""_npi_rollaxis, forward, on MXNet 2.0.0b1: 4.69 times as slow as a neighbour that does equal work.

slow       108 us a call, where 23.2 us were expected
fast       23.2 us a call
step       start=1
ratio      4.69 times, 95% interval 4.53 to 4.85, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.69 times: start=1
roofline   7.04 times: this machine can move and compute as much in that time

Measure it again: python _npi_rollaxis-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.17 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rollaxis",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rollaxis/d21f3bde", profile="finding")
def slow():
    return dict(
        data=tensor((32, 1024), "float32", uniform(-1.0, 1.0)),
        axis=1,
        start=0,
    )


@case("_npi_rollaxis/326278a7", profile="contrast")
def fast():
    return dict(
        data=tensor((32, 1024), "float32", uniform(-1.0, 1.0)),
        axis=1,
        start=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.17, threads=1))
