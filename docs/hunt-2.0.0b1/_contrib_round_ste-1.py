"""_contrib_round_ste, forward, on MXNet 2.0.0b1: 15.9 times as slow as a neighbour that does equal work.

slow       414 us a call, where 26.2 us were expected
fast       26.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      15.9 times, 95% interval 15.0 to 17.0, with 1 thread
family     float16 or float32 or float64
neighbour  15.9 times: int32: as many elements, 2 times the bytes
roofline   30.4 times: this machine can move and compute as much in that time

Measure it again: python _contrib_round_ste-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_round_ste",
    category="rounding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_round_ste/72e0b5f3", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-8.0, 8.0)),
    )


@case("_contrib_round_ste/6b3eb221", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "int32", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.99, threads=1))
