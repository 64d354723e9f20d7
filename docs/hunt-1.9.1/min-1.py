"""min, forward, on MXNet 1.9.1: 4.28 times as slow as a neighbour that does equal work.

slow       89.3 us a call, where 21.3 us were expected
fast       21.3 us a call
step       int64: as many elements, 4 times the bytes
ratio      4.28 times, 95% interval 4.14 to 4.36, with 1 thread
family     float16
neighbour  4.28 times: int64: as many elements, 4 times the bytes
roofline   5.77 times: this machine can move and compute as much in that time

Measure it again: python min-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.07 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="min",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("min/f64b8e15", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("min/883d0361", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.07, threads=1))
