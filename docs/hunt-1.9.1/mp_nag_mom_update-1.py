"""mp_nag_mom_update, forward, on MXNet 1.9.1: 3.72 times as slow as a neighbour that does equal work.

slow       103 us a call, where 27.6 us were expected
fast       27.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.72 times, 95% interval 3.58 to 3.84, with 1 thread
family     float16
neighbour  3.72 times: float32: as many elements, 2 times the bytes
roofline   6.17 times: this machine can move and compute as much in that time

Measure it again: python mp_nag_mom_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.93 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="mp_nag_mom_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("mp_nag_mom_update/d3dcfd9a", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((8192,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((8192,), "float16", uniform(-0.1, 0.1)),
        mom=tensor((8192,), "float32", constant(0.0)),
        weight32=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        lr=0.01,
    )


@case("mp_nag_mom_update/7afc87d7", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((8192,), "float32", uniform(-0.1, 0.1)),
        mom=tensor((8192,), "float32", constant(0.0)),
        weight32=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.93, threads=1))
