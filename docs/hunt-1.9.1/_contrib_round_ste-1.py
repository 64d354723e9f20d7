"""_contrib_round_ste, forward, on MXNet 1.9.1: 3.46 times as slow as a neighbour that does equal work.

slow       123 us a call, where 36.4 us were expected
fast       36.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      3.46 times, 95% interval 3.25 to 3.66, with 1 thread
family     float16
neighbour  3.46 times: int32: as many elements, 2 times the bytes
roofline   7.79 times: this machine can move and compute as much in that time

Measure it again: python _contrib_round_ste-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.86 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_round_ste",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_round_ste/b61b189c", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-8.0, 8.0)),
    )


@case("_contrib_round_ste/c8a69754", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.86, threads=1))
