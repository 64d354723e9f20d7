"""ftml_update, forward, on MXNet 1.9.1: 4.30 times as slow as a neighbour that does equal work.

slow       124 us a call, where 28.5 us were expected
fast       28.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.30 times, 95% interval 3.87 to 4.85, with 1 thread
family     float16
neighbour  4.30 times: float64: as many elements, 4 times the bytes
roofline   8.01 times: this machine can move and compute as much in that time

Measure it again: python ftml_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.07 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="ftml_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("ftml_update/41d68ef4", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((256,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((256,), "float16", uniform(-0.1, 0.1)),
        d=tensor((256,), "float16", constant(0.0)),
        v=tensor((256,), "float16", constant(0.0)),
        z=tensor((256,), "float16", constant(0.0)),
        lr=0.01,
        t=1,
    )


@case("ftml_update/44593ce8", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((256,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((256,), "float64", uniform(-0.1, 0.1)),
        d=tensor((256,), "float64", constant(0.0)),
        v=tensor((256,), "float64", constant(0.0)),
        z=tensor((256,), "float64", constant(0.0)),
        lr=0.01,
        t=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.07, threads=1))
