"""trunc, forward, on MXNet 2.0.0b1: 4.53 times as slow as a neighbour that does equal work.

slow       149 us a call, where 34.0 us were expected
fast       34.0 us a call
step       negative: both read each element, do little with it, and write one
ratio      4.53 times, 95% interval 4.17 to 4.78, with 1 thread
family     a dtype other than int32
neighbour  4.53 times: negative: both read each element, do little with it, and write one
roofline   5.89 times: this machine can move and compute as much in that time
kin        4.56 times: negative of the same input

Measure it again: python trunc-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="trunc",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("trunc/5d785df3", profile="finding")
def slow():
    return dict(
        data=tensor((131072,), "float32", uniform(-8.0, 8.0)),
    )


@case("negative/013cf245", profile="contrast", operator="negative")
def fast():
    return dict(
        data=tensor((131072,), "float32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.13, threads=1))
