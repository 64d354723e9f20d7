"""trunc, forward, on MXNet 1.9.1: 3.18 times as slow as a neighbour that does equal work.

slow       87.6 us a call, where 27.5 us were expected
fast       27.5 us a call
step       negative: both read each element, do little with it, and write one
ratio      3.18 times, 95% interval 2.91 to 3.23, with 1 thread
family     a dtype other than float16
neighbour  3.18 times: negative: both read each element, do little with it, and write one
roofline   4.66 times: this machine can move and compute as much in that time
kin        3.16 times: negative of the same input

Measure it again: python trunc-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="trunc",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("trunc/3d0ad325", profile="finding")
def slow():
    return dict(
        data=tensor((38329,), "float32", integers(1, 8)),
    )


@case("negative/d29722c5", profile="contrast", operator="negative")
def fast():
    return dict(
        data=tensor((38329,), "float32", integers(1, 8)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.78, threads=1))
