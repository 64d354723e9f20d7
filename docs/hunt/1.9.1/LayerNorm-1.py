"""LayerNorm, forward, on MXNet 1.9.1: 11.2 times as slow as a neighbour that does equal work.

slow       433 us a call, where 42.0 us were expected
fast       42.0 us a call
step       float32
ratio      11.2 times, 95% interval 9.95 to 18.0, with 1 thread
family     dtype is float16
neighbour  10.3 times: float32 takes 10% of the time
roofline   23.5 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=1,
)


@case("LayerNorm/d3f15e0b", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((4096,), "float16", uniform(-1.0, 1.0)),
        beta=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/71bcca57", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((4096,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.35, threads=1))
