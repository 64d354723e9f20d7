"""Cast, backward, on MXNet 2.0.0b1: 2.58 times as slow as a neighbour that does equal work.

slow       174 us a call, where 67.7 us were expected
fast       67.7 us a call
step       dtype=float32
ratio      2.58 times, 95% interval 2.38 to 2.81, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.58 times: dtype=float32
roofline   13.2 times: this machine can move and compute as much in that time
forward    3.64 times: the forward pass of the same input

Measure it again: python Cast-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Cast",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Cast/802b6604", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        dtype="bfloat16",
    )


@case("Cast/e6d14f8c", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        dtype="float32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.61, threads=1))
