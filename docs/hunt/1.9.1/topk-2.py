"""topk, forward, on MXNet 1.9.1: 3.04 times as slow as a neighbour that does equal work.

slow       68.2 us a call, where 22.6 us were expected
fast       22.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.04 times, 95% interval 2.80 to 3.10, with 1 thread
family     float16, and the length along axis is 8 or more
neighbour  3.04 times: int64: as many elements, 4 times the bytes
roofline   3.41 times: this machine can move and compute as much in that time

Measure it again: python topk-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
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


@case("topk/cdc9a616", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.74, threads=1))
