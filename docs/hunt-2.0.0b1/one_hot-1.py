"""one_hot, forward, on MXNet 2.0.0b1: 5.31 times as slow as a neighbour that does equal work.

slow       165 us a call, where 30.4 us were expected
fast       30.4 us a call
step       dtype=bfloat16
ratio      5.31 times, 95% interval 4.89 to 5.61, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  5.31 times: dtype=bfloat16
model      2.55 times: half of 27 other inputs lie within a factor of 1.24 of it
roofline   10.8 times: this machine can move and compute as much in that time

Measure it again: python one_hot-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.3 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="one_hot",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("one_hot/8eeade09", profile="finding")
def slow():
    return dict(
        indices=tensor((1024,), "int32", integers(0, 1024)),
        depth=253,
        dtype="uint8",
    )


@case("one_hot/3524329f", profile="contrast")
def fast():
    return dict(
        indices=tensor((1024,), "int32", integers(0, 1024)),
        depth=253,
        dtype="bfloat16",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.3, threads=1))
