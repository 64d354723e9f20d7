"""negative, forward, on MXNet 2.0.0b1: 4.93 times as slow as a neighbour that does equal work.

slow       140 us a call, where 28.4 us were expected
fast       28.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.93 times, 95% interval 4.72 to 5.11, with 1 thread
family     float16
neighbour  4.93 times: int32: as many elements, 2 times the bytes
roofline   10.9 times: this machine can move and compute as much in that time

Measure it again: python negative-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="negative",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("negative/519c4470", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("negative/2a2b67fc", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.22, threads=1))
