"""_npi_mean, forward: 2.41 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       88.8 us a call, where 36.9 us were expected
fast       36.9 us a call
step       the same input on MXNet 1.9.1
ratio      2.41 times, 95% interval 2.32 to 2.47, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.41 times: the same input on MXNet 1.9.1
roofline   7.41 times: this machine can move and compute as much in that time

Measure it again: python _npi_mean-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.55 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_mean/03dd1ae6", profile="finding")
def both():
    return dict(
        a=tensor((4096, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.55, threads=1, sides=sides))
