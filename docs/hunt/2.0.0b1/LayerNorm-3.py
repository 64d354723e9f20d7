"""LayerNorm, backward, on MXNet 2.0.0b1: 17.1 times as slow as a neighbour that does equal work.

slow       17,362 us a call, where 949 us were expected
fast       949 us a call
step       data.shape[0] of 1,024
ratio      17.1 times, 95% interval 14.9 to 19.1, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  17.1 times: data.shape[0] of 1,024
roofline   270 times: this machine can move and compute as much in that time
forward    24.8 times: the forward pass of the same input

Measure it again: python LayerNorm-3.py
It times both interleaved, and exits with 1 if slow takes more than 4.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=5,
)


@case("LayerNorm/87dd2dca", profile="finding")
def slow():
    return dict(
        data=tensor((512, 1024), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((1024,), "float32", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/0f19fa94", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((1024,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=4.13, threads=1))
