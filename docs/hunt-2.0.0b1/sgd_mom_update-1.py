"""sgd_mom_update, forward, on MXNet 2.0.0b1: 9.85 times as slow as a neighbour that does equal work.

slow       143 us a call, where 14.4 us were expected
fast       14.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      9.85 times, 95% interval 9.49 to 10.1, with 1 thread
family     float16
neighbour  9.85 times: float32: as many elements, 2 times the bytes
roofline   11.7 times: this machine can move and compute as much in that time

Measure it again: python sgd_mom_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.14 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sgd_mom_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("sgd_mom_update/622487eb", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((2048,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((2048,), "float16", uniform(-0.1, 0.1)),
        mom=tensor((2048,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("sgd_mom_update/456a3483", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((2048,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((2048,), "float32", uniform(-0.1, 0.1)),
        mom=tensor((2048,), "float32", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.14, threads=1))
