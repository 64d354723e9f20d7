"""sgd_mom_update, forward, on MXNet 1.9.1: 8.54 times as slow as a neighbour that does equal work.

slow       118 us a call, where 13.8 us were expected
fast       13.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      8.54 times, 95% interval 8.27 to 8.75, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  8.54 times: float64: as many elements, 4 times the bytes
roofline   7.58 times: this machine can move and compute as much in that time

Measure it again: python sgd_mom_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.92 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sgd_mom_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("sgd_mom_update/930a3324", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((1024,), "float16", uniform(-0.1, 0.1)),
        mom=tensor((1024,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("sgd_mom_update/cd7cb649", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((1024,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((1024,), "float64", uniform(-0.1, 0.1)),
        mom=tensor((1024,), "float64", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.92, threads=1))
