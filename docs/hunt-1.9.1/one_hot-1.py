"""one_hot, forward, on MXNet 1.9.1: 3.28 times as slow as a neighbour that does equal work.

slow       118 us a call, where 35.2 us were expected
fast       35.2 us a call
step       dtype=float32
ratio      3.28 times, 95% interval 2.77 to 3.44, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  3.28 times: dtype=float32
model      2.17 times: half of 28 other inputs lie within a factor of 1.27 of it
roofline   6.52 times: this machine can move and compute as much in that time

Measure it again: python one_hot-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.81 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="one_hot",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("one_hot/722d8983", profile="finding")
def slow():
    return dict(
        indices=tensor((1024,), "int32", integers(0, 1024)),
        depth=120,
        dtype="bfloat16",
    )


@case("one_hot/cec32f59", profile="contrast")
def fast():
    return dict(
        indices=tensor((1024,), "int32", integers(0, 1024)),
        depth=120,
        dtype="float32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.81, threads=1))
