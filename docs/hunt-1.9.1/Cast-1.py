"""Cast, backward, on MXNet 1.9.1: 3.48 times as slow as a neighbour that does equal work.

slow       135 us a call, where 38.5 us were expected
fast       38.5 us a call
step       dtype=float32
ratio      3.48 times, 95% interval 2.98 to 3.55, with 1 thread
family     dtype=bfloat16
neighbour  3.48 times: dtype=float32
roofline   8.17 times: this machine can move and compute as much in that time
forward    3.45 times: the forward pass of the same input

Measure it again: python Cast-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Cast",
    category="array",
    mxnet="1.9.1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.86, threads=1))
