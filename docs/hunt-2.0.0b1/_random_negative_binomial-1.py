"""_random_negative_binomial, forward, on MXNet 2.0.0b1: 2.05 times as slow as a neighbour that does equal work.

slow       180 us a call, where 87.4 us were expected
fast       87.4 us a call
step       no p
ratio      2.05 times, 95% interval 1.95 to 2.13, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.05 times: no p
roofline   14.9 times: this machine can move and compute as much in that time

Measure it again: python _random_negative_binomial-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_random_negative_binomial",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_random_negative_binomial/6266b4e3", profile="finding")
def slow():
    return dict(
        k=5,
        p=0.375,
        shape=(1, 11, 10, 9),
    )


@case("_random_negative_binomial/456727ef", profile="contrast")
def fast():
    return dict(
        k=5,
        shape=(1, 11, 10, 9),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.43, threads=1))
