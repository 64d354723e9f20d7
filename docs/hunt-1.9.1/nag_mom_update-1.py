"""nag_mom_update, forward, on MXNet 1.9.1: 7.50 times as slow as a neighbour that does equal work.

slow       104 us a call, where 13.6 us were expected
fast       13.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      7.50 times, 95% interval 6.44 to 8.05, with 1 thread
family     float16
neighbour  7.50 times: float64: as many elements, 4 times the bytes
roofline   6.73 times: this machine can move and compute as much in that time

Measure it again: python nag_mom_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="nag_mom_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("nag_mom_update/4782583e", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        mom=tensor((512,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("nag_mom_update/bd07f420", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float64", uniform(-0.1, 0.1)),
        mom=tensor((512,), "float64", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.74, threads=1))
