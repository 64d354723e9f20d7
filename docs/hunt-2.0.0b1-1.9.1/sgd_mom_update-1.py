"""sgd_mom_update, forward: 2.28 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       5,985 us a call, where 2,534 us were expected
fast       2,534 us a call
step       the same input on MXNet 1.9.1
ratio      2.28 times, 95% interval 2.16 to 2.41, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.28 times: the same input on MXNet 1.9.1

Measure it again: python sgd_mom_update-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.51 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sgd_mom_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("sgd_mom_update/ebb4adc1", profile="finding", in_place=("weight",))
def both():
    return dict(
        weight=tensor((724, 11585), "float32", uniform(-1.0, 1.0)),
        grad=tensor((724, 11585), "float32", uniform(-0.1, 0.1), storage="row_sparse", density=0.25),
        mom=tensor((724, 11585), "float32", constant(0.0)),
        clip_gradient=-1.0,
        lazy_update=True,
        lr=0.01,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.51, threads=1, sides=sides))
