"""LayerNorm, forward, on MXNet 1.9.1: 4.10 times as slow as a neighbour that does equal work.

slow       133 us a call, where 32.7 us were expected
fast       32.7 us a call
step       data.shape[0] of 1 and data.shape[1] of 8,192
ratio      4.10 times, 95% interval 4.00 to 4.19, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  4.10 times: data.shape[0] of 1 and data.shape[1] of 8,192
model      2.23 times: half of 29 other inputs lie within a factor of 1.30 of it
roofline   6.41 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.02 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=5,
)


@case("LayerNorm/ac94171c", profile="finding")
def slow():
    return dict(
        data=tensor((8192, 1), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((1,), "float32", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/9a8f0f4b", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8192), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.02, threads=1))
