"""topk, forward, on MXNet 1.9.1: 2.98 times as slow as a neighbour that does equal work.

slow       96.6 us a call, where 31.8 us were expected
fast       31.8 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.98 times, 95% interval 2.87 to 3.08, with 1 thread
family     float16, and the last dimension is 2 or more
neighbour  2.98 times: int32: as many elements, 2 times the bytes
model      1.55 times: half of 68 other inputs lie within a factor of 1.55 of it
roofline   8.27 times: this machine can move and compute as much in that time

Measure it again: python topk-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("topk/641b3e73", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("topk/6d835578", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.72, threads=1))
