"""lamb_update_phase2, forward: 2.06 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       561 us a call, where 268 us were expected
fast       268 us a call
step       the same input on MXNet 1.9.1
ratio      2.06 times, 95% interval 1.98 to 2.16, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.06 times: the same input on MXNet 1.9.1
roofline   8.08 times: this machine can move and compute as much in that time

Measure it again: python lamb_update_phase2-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.44 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="lamb_update_phase2",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("lamb_update_phase2/5264c206", profile="finding", in_place=("weight",))
def both():
    return dict(
        weight=tensor((52, 32, 100), "float64", uniform(-1.0, 1.0)),
        g=tensor((52, 32, 100), "float64", uniform(-0.1, 0.1)),
        r1=tensor((1,), "float64", uniform(0.5, 2.0)),
        r2=tensor((1,), "float64", uniform(0.5, 2.0)),
        lower_bound=-1.0,
        lr=0.001,
        upper_bound=-1.0,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.44, threads=1, sides=sides))
