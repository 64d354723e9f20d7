"""LayerNorm, forward, on MXNet 2.0.0b1: 3.82 times as slow as a neighbour that does equal work.

slow       69.8 us a call, where 18.0 us were expected
fast       18.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.82 times, 95% interval 3.59 to 3.89, with 1 thread
family     float16
also       backward, 1.98 times
neighbour  3.82 times: float32: as many elements, 2 times the bytes
roofline   5.76 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.95 times as long as fast, else with 0.
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.95, threads=1))
