"""LayerNorm, backward, on MXNet 2.0.0b1: 15.5 times as slow as a neighbour that does equal work.

slow       16,675 us a call, where 1,148 us were expected
fast       1,148 us a call
step       data.shape[1] of 1,024
ratio      15.5 times, 95% interval 14.2 to 17.1, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  15.5 times: data.shape[1] of 1,024
roofline   257 times: this machine can move and compute as much in that time
forward    24.4 times: the forward pass of the same input

Measure it again: python LayerNorm-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.93 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="LayerNorm",
    category="normalization",
    mxnet="2.0.0b1",
    seed=5,
)


@case("LayerNorm/de003610", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 512), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((512,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((512,), "float32", uniform(-1.0, 1.0)),
    )


@case("LayerNorm/0f19fa94", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        gamma=tensor((1024,), "float32", uniform(-1.0, 1.0)),
        beta=tensor((1024,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=3.93, threads=1))
