"""signsgd_update, forward, on MXNet 1.9.1: 7.85 times as slow as a neighbour that does equal work.

slow       113 us a call, where 14.3 us were expected
fast       14.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.85 times, 95% interval 7.37 to 8.10, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.85 times: float32: as many elements, 2 times the bytes
roofline   7.23 times: this machine can move and compute as much in that time

Measure it again: python signsgd_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="signsgd_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("signsgd_update/507651ff", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((2048,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((2048,), "float16", uniform(-0.1, 0.1)),
        lr=0.01,
    )


@case("signsgd_update/41aa2257", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((2048,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((2048,), "float32", uniform(-0.1, 0.1)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.8, threads=1))
