"""mp_sgd_update, forward, on MXNet 1.9.1: 3.04 times as slow as a neighbour that does equal work.

slow       194 us a call, where 58.4 us were expected
fast       58.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.04 times, 95% interval 2.85 to 3.33, with 1 thread
family     float16
neighbour  3.04 times: float32: as many elements, 2 times the bytes
roofline   11.3 times: this machine can move and compute as much in that time

Measure it again: python mp_sgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="mp_sgd_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("mp_sgd_update/91e2e311", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((16384,), "float16", uniform(-0.1, 0.1)),
        weight32=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        lr=0.01,
    )


@case("mp_sgd_update/d49a46bf", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((16384,), "float32", uniform(-0.1, 0.1)),
        weight32=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.74, threads=1))
