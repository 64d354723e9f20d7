"""_random_negative_binomial, forward, on MXNet 1.9.1: 2.11 times as slow as a neighbour that does equal work.

slow       558 us a call, where 260 us were expected
fast       260 us a call
step       no p
ratio      2.11 times, 95% interval 1.94 to 2.16, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.11 times: no p
roofline   36.0 times: this machine can move and compute as much in that time

Measure it again: python _random_negative_binomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_random_negative_binomial",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_random_negative_binomial/833e4ed7", profile="finding")
def slow():
    return dict(
        dtype="float16",
        k=4,
        p=0.375,
        shape=(4, 15, 8, 8),
    )


@case("_random_negative_binomial/4205a3a9", profile="contrast")
def fast():
    return dict(
        dtype="float16",
        k=4,
        shape=(4, 15, 8, 8),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.45, threads=1))
