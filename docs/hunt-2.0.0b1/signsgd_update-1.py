"""signsgd_update, forward, on MXNet 2.0.0b1: 5.13 times as slow as a neighbour that does equal work.

slow       130 us a call, where 25.5 us were expected
fast       25.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      5.13 times, 95% interval 4.96 to 5.30, with 1 thread
family     float16
neighbour  5.13 times: float64: as many elements, 4 times the bytes
roofline   10.7 times: this machine can move and compute as much in that time

Measure it again: python signsgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.26 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="signsgd_update",
    category="optimizer",
    mxnet="2.0.0b1",
    seed=0,
)


@case("signsgd_update/507651ff", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((2048,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((2048,), "float16", uniform(-0.1, 0.1)),
        lr=0.01,
    )


@case("signsgd_update/a50a29ba", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((2048,), "float64", uniform(-1.0, 1.0)),
        grad=tensor((2048,), "float64", uniform(-0.1, 0.1)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.26, threads=1))
