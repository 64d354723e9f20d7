"""LayerNorm, forward, on MXNet 1.9.1: 1.95 times as slow as a neighbour that does equal work.

slow       97.4 us a call, where 51.6 us were expected
fast       51.6 us a call
step       data.shape[0] of 1 and data.shape[1] of 8,192
ratio      1.95 times, 95% interval 1.85 to 2.03, with 1 thread
family     the last dimension but one is 4,094 or more, and the last dimension is at most 5
neighbour  1.95 times: data.shape[0] of 1 and data.shape[1] of 8,192
model      1.53 times: half of 45 other inputs lie within a factor of 1.33 of it
roofline   7.92 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=5,
)


@case("LayerNorm/90a011ca", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 2), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((2,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((2,), "float32", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/9a8f0f4b", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8192), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.39, threads=1))
