"""_npi_rot90, forward: 2.12 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       408 us a call, where 194 us were expected
fast       194 us a call
step       the same input on MXNet 1.9.1
ratio      2.12 times, 95% interval 2.08 to 2.14, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.12 times: the same input on MXNet 1.9.1
roofline   22.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_rot90-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.45 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_rot90",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_rot90/61ef2183", profile="finding")
def both():
    return dict(
        data=tensor((91, 1, 40, 9), "int64", integers(0, 10)),
        axes=(0, 3),
        k=3,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.45, threads=1, sides=sides))
