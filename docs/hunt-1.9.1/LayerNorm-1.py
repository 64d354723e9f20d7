"""LayerNorm, backward, on MXNet 1.9.1: 2.12 times as slow as a neighbour that does equal work.

slow       193 us a call, where 89.1 us were expected
fast       89.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.12 times, 95% interval 2.02 to 2.24, with 1 thread
family     float16
also       forward, 4.65 times
neighbour  2.12 times: float32: as many elements, 2 times the bytes
roofline   12.5 times: this machine can move and compute as much in that time
forward    1.93 times: the forward pass of the same input

Measure it again: python LayerNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="1.9.1",
    seed=0,
)


@case("LayerNorm/35c2cfda", profile="finding")
def slow():
    return dict(
        data=tensor((128, 8), "float16", uniform(-1.0, 1.0)),
        gamma=tensor((8,), "float16", uniform(-1.0, 1.0)),
        beta=tensor((8,), "float16", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/31536a52", profile="contrast")
def fast():
    return dict(
        data=tensor((128, 8), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((8,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((8,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
