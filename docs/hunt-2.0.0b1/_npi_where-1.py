"""_npi_where, forward, on MXNet 2.0.0b1: 2.76 times as slow as a neighbour that does equal work.

slow       78.0 us a call, where 28.3 us were expected
fast       28.3 us a call
step       y.shape[0] of 128
ratio      2.76 times, 95% interval 2.68 to 2.92, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.76 times: y.shape[0] of 128
roofline   6.39 times: this machine can move and compute as much in that time

Measure it again: python _npi_where-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.66 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_where",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_where/59893031", profile="finding")
def slow():
    return dict(
        condition=tensor((128, 10), "float32", mask(0.5)),
        x=tensor((128, 10), "float32", uniform(-1.0, 1.0)),
        y=tensor((1, 10), "float32", uniform(-1.0, 1.0)),
    )


@case("_npi_where/be97297e", profile="contrast")
def fast():
    return dict(
        condition=tensor((128, 10), "float32", mask(0.5)),
        x=tensor((128, 10), "float32", uniform(-1.0, 1.0)),
        y=tensor((128, 10), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.66, threads=1))
