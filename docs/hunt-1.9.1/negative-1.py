"""negative, forward, on MXNet 1.9.1: 6.40 times as slow as a neighbour that does equal work.

slow       124 us a call, where 19.3 us were expected
fast       19.3 us a call
step       int64: as many elements, 4 times the bytes
ratio      6.40 times, 95% interval 5.82 to 6.73, with 1 thread
family     float16
neighbour  6.40 times: int64: as many elements, 4 times the bytes
model      5.30 times: half of 24 other inputs lie within a factor of 1.09 of it
roofline   7.67 times: this machine can move and compute as much in that time

Measure it again: python negative-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="negative",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("negative/519c4470", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("negative/078160a5", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.53, threads=1))
