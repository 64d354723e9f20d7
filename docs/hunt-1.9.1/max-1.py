"""max, forward, on MXNet 1.9.1: 4.57 times as slow as a neighbour that does equal work.

slow       91.8 us a call, where 20.1 us were expected
fast       20.1 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.57 times, 95% interval 4.42 to 4.62, with 1 thread
family     float16
neighbour  4.57 times: int32: as many elements, 2 times the bytes
roofline   5.93 times: this machine can move and compute as much in that time

Measure it again: python max-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.14 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="max",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("max/b6fa8682", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("max/b5c782c2", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.14, threads=1))
