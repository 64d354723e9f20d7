"""take, forward, on MXNet 1.9.1: 2.30 times as slow as a neighbour that does equal work.

slow       30,752 us a call, where 12,930 us were expected
fast       12,930 us a call
step       mode=wrap
ratio      2.30 times, 95% interval 2.08 to 2.53, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 2.11 times
neighbour  2.30 times: mode=wrap
model      34.5 times: half of 55 other inputs lie within a factor of 1.38 of it
roofline   5.70 times: this machine can move and compute as much in that time

Measure it again: python take-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="take",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("take/df70cba4", profile="finding")
def slow():
    return dict(
        a=tensor((2,), "float32", uniform(-1.0, 1.0)),
        indices=tensor((7, 731429), "int64", integers(-1, 3)),
        axis=0,
        mode="clip",
    )


@case("take/305fe206", profile="contrast")
def fast():
    return dict(
        a=tensor((2,), "float32", uniform(-1.0, 1.0)),
        indices=tensor((7, 731429), "int64", integers(-1, 3)),
        axis=0,
        mode="wrap",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.52, threads=1))
