"""Embedding, backward, on MXNet 2.0.0b1: 1.93 times as slow as a neighbour that does equal work.

slow       176 us a call, where 92.2 us were expected
fast       92.2 us a call
step       dtype=float32
ratio      1.93 times, 95% interval 1.87 to 1.96, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.93 times: dtype=float32
roofline   12.9 times: this machine can move and compute as much in that time
forward    4.57 times: the forward pass of the same input

Measure it again: python Embedding-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Embedding",
    category="nn_basic",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Embedding/6c988eeb", profile="finding")
def slow():
    return dict(
        data=tensor((32,), "int32", integers(0, 1000)),
        weight=tensor((989, 63), "float16", uniform(-1.0, 1.0)),
        dtype="float16",
        input_dim=989,
        output_dim=63,
    )


@case("Embedding/b2b3642c", profile="contrast")
def fast():
    return dict(
        data=tensor((32,), "int32", integers(0, 1000)),
        weight=tensor((989, 63), "float32", uniform(-1.0, 1.0)),
        dtype="float32",
        input_dim=989,
        output_dim=63,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.39, threads=1))
