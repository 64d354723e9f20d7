"""LayerNorm, forward, on MXNet 2.0.0b1: 27.0 times as slow as a neighbour that does equal work.

slow       1,243 us a call, where 45.3 us were expected
fast       45.3 us a call
step       float32
ratio      27.0 times, 95% interval 26.1 to 27.8, with 1 thread
family     dtype is float16
neighbour  27.5 times: float32 takes 4% of the time
roofline   54.4 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.2 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=1,
)


@case("LayerNorm/06be1ac9", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        beta=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/ca0b063f", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=5.2, threads=1))
