"""mp_sgd_mom_update, forward, on MXNet 1.9.1: 5.50 times as slow as a neighbour that does equal work.

slow       174 us a call, where 30.4 us were expected
fast       30.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.50 times, 95% interval 5.12 to 5.87, with 1 thread
family     float16
neighbour  5.50 times: float32: as many elements, 2 times the bytes
roofline   9.70 times: this machine can move and compute as much in that time

Measure it again: python mp_sgd_mom_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="mp_sgd_mom_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("mp_sgd_mom_update/5644083a", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((16384,), "float16", uniform(-0.1, 0.1)),
        mom=tensor((16384,), "float32", constant(0.0)),
        weight32=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        lr=0.01,
    )


@case("mp_sgd_mom_update/dd820e0d", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((16384,), "float32", uniform(-0.1, 0.1)),
        mom=tensor((16384,), "float32", constant(0.0)),
        weight32=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
