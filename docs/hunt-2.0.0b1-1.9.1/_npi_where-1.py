"""_npi_where, forward: 4.17 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       89.7 us a call, where 21.6 us were expected
fast       21.6 us a call
step       the same input on MXNet 1.9.1
ratio      4.17 times, 95% interval 4.09 to 4.37, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       4.17 times: the same input on MXNet 1.9.1
roofline   7.54 times: this machine can move and compute as much in that time

Measure it again: python _npi_where-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.04 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_where",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_where/5b524222", profile="finding")
def both():
    return dict(
        condition=tensor((1024,), "float32", mask(0.5)),
        x=tensor((1,), "float32", uniform(-1.0, 1.0)),
        y=tensor((1,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.04, threads=1, sides=sides))
