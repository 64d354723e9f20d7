"""_npi_fix, forward: 2.97 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       761 us a call, where 252 us were expected
fast       252 us a call
step       the same input on MXNet 1.9.1
ratio      2.97 times, 95% interval 2.83 to 3.06, with 1 thread
family     a dtype other than float16
side       2.97 times: the same input on MXNet 1.9.1
roofline   34.5 times: this machine can move and compute as much in that time

Measure it again: python _npi_fix-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.72 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_fix",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_fix/ab20a3ef", profile="finding")
def both():
    return dict(
        x=tensor((9, 7282), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.72, threads=1, sides=sides))
