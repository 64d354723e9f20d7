"""take, backward, on MXNet 1.9.1: 5.25 times as slow as a neighbour that does equal work.

slow       379 us a call, where 70.9 us were expected
fast       70.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.25 times, 95% interval 4.96 to 5.65, with 1 thread
family     float16
neighbour  5.25 times: float32: as many elements, 2 times the bytes
roofline   18.2 times: this machine can move and compute as much in that time
forward    12.8 times: the forward pass of the same input

Measure it again: python take-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.29 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="take",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("take/43ad6d85", profile="finding")
def slow():
    return dict(
        a=tensor((1, 2048), "float16", uniform(-1.0, 1.0)),
        indices=tensor((8, 2), "int32", integers(-2, 15)),
    )


@case("take/b2897946", profile="contrast")
def fast():
    return dict(
        a=tensor((1, 2048), "float32", uniform(-1.0, 1.0)),
        indices=tensor((8, 2), "int32", integers(-2, 15)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.29, threads=1))
