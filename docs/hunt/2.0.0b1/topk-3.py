"""topk, forward, on MXNet 2.0.0b1: 3.77 times as slow as a neighbour that does equal work.

slow       112 us a call, where 29.8 us were expected
fast       29.8 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.77 times, 95% interval 3.67 to 3.86, with 1 thread
family     float16
neighbour  3.77 times: int32: as many elements, 2 times the bytes
roofline   8.91 times: this machine can move and compute as much in that time

Measure it again: python topk-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.94 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="2.0.0b1",
    seed=5,
)


@case("topk/d2546e13", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("topk/6ac58257", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.94, threads=1))
