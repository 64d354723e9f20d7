"""hard_sigmoid, forward, on MXNet 2.0.0b1: 7.72 times as slow as a neighbour that does equal work.

slow       143 us a call, where 18.2 us were expected
fast       18.2 us a call
step       float64: as many elements, 4 times the bytes
ratio      7.72 times, 95% interval 7.44 to 7.86, with 1 thread
family     float16
also       backward, 3.77 times
neighbour  7.72 times: float64: as many elements, 4 times the bytes
roofline   11.7 times: this machine can move and compute as much in that time

Measure it again: python hard_sigmoid-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="hard_sigmoid",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("hard_sigmoid/f9aff66e", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("hard_sigmoid/dfadbbe3", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.78, threads=1))
