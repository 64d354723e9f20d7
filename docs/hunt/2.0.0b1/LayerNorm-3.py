"""LayerNorm, forward, on MXNet 2.0.0b1: 3.68 times as slow as a neighbour that does equal work.

slow       92.5 us a call, where 24.1 us were expected
fast       24.1 us a call
step       axis=1
ratio      3.68 times, 95% interval 3.53 to 3.91, with 1 thread
family     axis is not the last
neighbour  3.68 times: axis=1
roofline   7.45 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.92 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=5,
)


@case("LayerNorm/a86704c7", profile="finding")
def slow():
    return dict(
        data=tensor((32, 128), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((32,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((32,), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("LayerNorm/db3b921f", profile="contrast")
def fast():
    return dict(
        data=tensor((32, 128), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((128,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((128,), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.92, threads=1))
