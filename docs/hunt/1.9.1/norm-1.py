"""norm, forward, on MXNet 1.9.1: 3.46 times as slow as a neighbour that does equal work.

slow       96.6 us a call, where 30.3 us were expected
fast       30.3 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.46 times, 95% interval 3.19 to 3.79, with 1 thread
family     float16
also       backward, 2.97 times
neighbour  3.46 times: int64: as many elements, 4 times the bytes
roofline   8.41 times: this machine can move and compute as much in that time

Measure it again: python norm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="norm",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("norm/c6eb1683", profile="finding")
def slow():
    return dict(
        data=tensor((512,), "float16", uniform(-1.0, 1.0)),
    )


@case("norm/f200859b", profile="contrast")
def fast():
    return dict(
        data=tensor((512,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.86, threads=1))
