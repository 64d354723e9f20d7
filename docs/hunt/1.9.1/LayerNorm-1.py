"""LayerNorm, forward, on MXNet 1.9.1: 4.24 times as slow as a neighbour that does equal work.

slow       80.5 us a call, where 19.3 us were expected
fast       19.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.24 times, 95% interval 4.12 to 4.45, with 1 thread
family     float16
also       backward, 2.03 times
neighbour  4.24 times: float32: as many elements, 2 times the bytes
model      2.01 times: half of 29 other inputs lie within a factor of 1.30 of it
roofline   4.04 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.06 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=5,
)


@case("LayerNorm/1002ae5d", profile="finding")
def slow():
    return dict(
        data=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        beta=tensor((1024,), "float16", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("LayerNorm/3e1b4cb7", profile="contrast")
def fast():
    return dict(
        data=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.06, threads=1))
