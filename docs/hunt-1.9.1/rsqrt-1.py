"""rsqrt, forward, on MXNet 1.9.1: 2.28 times as slow as a neighbour that does equal work.

slow       115 us a call, where 50.4 us were expected
fast       50.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.28 times, 95% interval 2.18 to 2.36, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 4.38 times
neighbour  2.28 times: float32: as many elements, 2 times the bytes
model      2.31 times: half of 40 other inputs lie within a factor of 1.21 of it
roofline   9.65 times: this machine can move and compute as much in that time

Measure it again: python rsqrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="rsqrt",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("rsqrt/c9a09ff0", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(0.1, 2.0)),
    )


@case("rsqrt/b022db38", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.51, threads=1))
