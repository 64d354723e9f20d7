"""LayerNorm, forward, on MXNet 1.9.1: 3.04 times as slow as a neighbour that does equal work.

slow       84.0 us a call, where 28.2 us were expected
fast       28.2 us a call
step       axes 0 and 1 exchanged
ratio      3.04 times, 95% interval 2.77 to 3.22, with 1 thread
family     axis is not the last
neighbour  3.04 times: axes 0 and 1 exchanged
model      1.66 times: half of 45 other inputs lie within a factor of 1.33 of it
roofline   7.06 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=5,
)


@case("LayerNorm/53960a5b", profile="finding")
def slow():
    return dict(
        data=tensor((27, 153), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((27,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((27,), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("LayerNorm/3e0885bb", profile="contrast")
def fast():
    return dict(
        data=tensor((153, 27), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((27,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((27,), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.74, threads=1))
