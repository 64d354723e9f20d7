"""adam_update, forward, on MXNet 1.9.1: 3.83 times as slow as a neighbour that does equal work.

slow       89.5 us a call, where 23.5 us were expected
fast       23.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.83 times, 95% interval 3.67 to 4.03, with 1 thread
family     float16
neighbour  3.83 times: float64: as many elements, 4 times the bytes
roofline   5.79 times: this machine can move and compute as much in that time

Measure it again: python adam_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="adam_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("adam_update/280b16bd", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((256,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((256,), "float16", uniform(-0.1, 0.1)),
        mean=tensor((256,), "float16", constant(0.0)),
        var=tensor((256,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("adam_update/923fc6ca", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((256,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((256,), "float64", uniform(-0.1, 0.1)),
        mean=tensor((256,), "float64", constant(0.0)),
        var=tensor((256,), "float64", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
