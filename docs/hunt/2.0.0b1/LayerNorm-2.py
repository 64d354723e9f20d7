"""LayerNorm, forward, on MXNet 2.0.0b1: 2.60 times as slow as a neighbour that does equal work.

slow       159 us a call, where 60.8 us were expected
fast       60.8 us a call
step       axes 0 and 1 exchanged
ratio      2.60 times, 95% interval 2.55 to 2.63, with 1 thread
family     axis is not the last
neighbour  2.60 times: axes 0 and 1 exchanged
roofline   12.7 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.61 times as long as fast, else with 0.
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


@case("LayerNorm/a7bcb797", profile="contrast")
def fast():
    return dict(
        data=tensor((128, 32), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((32,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((32,), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.61, threads=1))
