"""_npi_true_divide, forward: 2.77 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       32.3 us a call, where 11.8 us were expected
fast       11.8 us a call
step       the same input on MXNet 1.9.1
ratio      2.77 times, 95% interval 2.72 to 2.90, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.77 times: the same input on MXNet 1.9.1
roofline   2.15 times: this machine can move and compute as much in that time

Measure it again: python _npi_true_divide-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.66 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_true_divide",
    category="broadcast",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_true_divide/6a27d715", profile="finding")
def both():
    return dict(
        lhs=tensor((1,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((400,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.66, threads=1, sides=sides))
