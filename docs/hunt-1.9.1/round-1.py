"""round, forward, on MXNet 1.9.1: 3.82 times as slow as a neighbour that does equal work.

slow       105 us a call, where 28.0 us were expected
fast       28.0 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.82 times, 95% interval 3.74 to 3.91, with 1 thread
family     float16
neighbour  3.82 times: int32: as many elements, 2 times the bytes
roofline   6.65 times: this machine can move and compute as much in that time

Measure it again: python round-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="round",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("round/cdf70ee5", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-8.0, 8.0)),
    )


@case("round/d6a89af5", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
