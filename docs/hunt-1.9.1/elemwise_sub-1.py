"""elemwise_sub, backward, on MXNet 1.9.1: 2.11 times as slow as a neighbour that does equal work.

slow       111 us a call, where 52.4 us were expected
fast       52.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.11 times, 95% interval 2.01 to 2.29, with 1 thread
family     float16
also       forward, 3.77 times
neighbour  2.11 times: float32: as many elements, 2 times the bytes
roofline   6.94 times: this machine can move and compute as much in that time

Measure it again: python elemwise_sub-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="elemwise_sub",
    category="elementwise",
    mxnet="1.9.1",
    seed=0,
)


@case("elemwise_sub/910d1ca9", profile="finding")
def slow():
    return dict(
        lhs=tensor((8192,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("elemwise_sub/6ce2ba0a", profile="contrast")
def fast():
    return dict(
        lhs=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
