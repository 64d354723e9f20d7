"""sgd_update, forward, on MXNet 2.0.0b1: 7.39 times as slow as a neighbour that does equal work.

slow       149 us a call, where 19.3 us were expected
fast       19.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.39 times, 95% interval 6.77 to 7.79, with 1 thread
family     float16
neighbour  7.39 times: float32: as many elements, 2 times the bytes
roofline   12.2 times: this machine can move and compute as much in that time

Measure it again: python sgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sgd_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("sgd_update/8bd88edb", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((2048,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((2048,), "float16", uniform(-0.1, 0.1)),
        lr=0.01,
    )


@case("sgd_update/bbaa204e", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((2048,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((2048,), "float32", uniform(-0.1, 0.1)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.72, threads=1))
