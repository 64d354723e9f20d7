"""LayerNorm, forward, on MXNet 1.9.1: 4.58 times as slow as a neighbour that does equal work.

slow       85.1 us a call, where 18.5 us were expected
fast       18.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.58 times, 95% interval 4.38 to 4.67, with 1 thread
family     float16
also       backward, 2.12 times
neighbour  4.58 times: float64: as many elements, 4 times the bytes
model      2.06 times: half of 45 other inputs lie within a factor of 1.33 of it
roofline   7.35 times: this machine can move and compute as much in that time

Measure it again: python LayerNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.14 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=5,
)


@case("LayerNorm/2b106d80", profile="finding")
def slow():
    return dict(
        data=tensor((1134,), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((1134,), "float16", uniform(-1.0, 1.0)),
        beta=tensor((1134,), "float16", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/73769b43", profile="contrast")
def fast():
    return dict(
        data=tensor((1134,), "float64", uniform(-1.0, 1.0)),
        gamma=tensor((1134,), "float64", uniform(-1.0, 1.0)),
        beta=tensor((1134,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.14, threads=1))
