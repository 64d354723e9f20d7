"""LayerNorm, forward, on MXNet 2.0.0b1: 3.54 times as slow as a neighbour that does equal work.

slow       101 us a call, where 28.4 us were expected
fast       28.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.54 times, 95% interval 3.39 to 3.74, with 1 thread
family     float16
also       backward, 2.45 times
neighbour  3.54 times: float32: as many elements, 2 times the bytes
roofline   8.27 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=5,
)


@case("LayerNorm/c55f84f0", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        beta=tensor((1024,), "float16", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/03266798", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((1024,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
