"""take, forward, on MXNet 1.9.1: 2.82 times as slow as a neighbour that does equal work.

slow       35,070 us a call, where 12,133 us were expected
fast       12,133 us a call
step       mode=wrap
ratio      2.82 times, 95% interval 2.56 to 2.88, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.30 times
neighbour  2.82 times: mode=wrap
roofline   9.02 times: this machine can move and compute as much in that time

Measure it again: python take-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.68 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="take",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("take/ff288f8c", profile="finding")
def slow():
    return dict(
        a=tensor((2, 1), "float32", uniform(-1.0, 1.0)),
        indices=tensor((5120000,), "float32", integers(0, 2)),
        axis=0,
        mode="clip",
    )


@case("take/178d12a5", profile="contrast")
def fast():
    return dict(
        a=tensor((2, 1), "float32", uniform(-1.0, 1.0)),
        indices=tensor((5120000,), "float32", integers(0, 2)),
        axis=0,
        mode="wrap",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.68, threads=1))
