"""_full, forward, on MXNet 2.0.0b1: 3.12 times as slow as a neighbour that does equal work.

slow       179 us a call, where 58.3 us were expected
fast       58.3 us a call
step       dtype=bfloat16
ratio      3.12 times, 95% interval 3.02 to 3.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.12 times: dtype=bfloat16
model      3.20 times: half of 22 other inputs lie within a factor of 1.13 of it
roofline   9.62 times: this machine can move and compute as much in that time

Measure it again: python _full-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_full",
    category="creation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_full/b1e2ae24", profile="finding")
def slow():
    return dict(
        dtype="float16",
        shape=(256, 1024),
        value=1.5,
    )


@case("_full/b7b1a472", profile="contrast")
def fast():
    return dict(
        dtype="bfloat16",
        shape=(256, 1024),
        value=1.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
