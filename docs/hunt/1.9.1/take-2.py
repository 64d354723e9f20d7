"""take, backward, on MXNet 1.9.1: 2.00 times as slow as a neighbour that does equal work.

slow       151 us a call, where 76.0 us were expected
fast       76.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.00 times, 95% interval 1.95 to 2.07, with 1 thread
family     float16, and the last dimension of a is at most 15,992
neighbour  2.00 times: float32: as many elements, 2 times the bytes
roofline   12.9 times: this machine can move and compute as much in that time
forward    5.80 times: the forward pass of the same input

Measure it again: python take-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="take",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("take/4461a403", profile="finding")
def slow():
    return dict(
        a=tensor((1, 64), "float16", uniform(-1.0, 1.0)),
        indices=tensor((2, 61), "int64", integers(0, 1)),
    )


@case("take/65fd69dd", profile="contrast")
def fast():
    return dict(
        a=tensor((1, 64), "float32", uniform(-1.0, 1.0)),
        indices=tensor((2, 61), "int64", integers(0, 1)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.42, threads=1))
