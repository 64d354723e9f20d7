"""softmax, backward, on MXNet 2.0.0b1: 2.44 times as slow as a neighbour that does equal work.

slow       2,774 us a call, where 1,140 us were expected
fast       1,140 us a call
step       log_softmax: both need the maximum and the sum of exponentials of each row
ratio      2.44 times, 95% interval 2.27 to 2.54, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.44 times: log_softmax: both need the maximum and the sum of exponentials of each row
model      28.1 times: half of 42 other inputs lie within a factor of 1.49 of it
roofline   180 times: this machine can move and compute as much in that time
kin        2.09 times: log_softmax of the same input

Measure it again: python softmax-4.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=5,
)


@case("softmax/3397b800", profile="finding")
def slow():
    return dict(
        data=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("log_softmax/bfd4dd08", profile="contrast", operator="log_softmax")
def fast():
    return dict(
        data=tensor((256, 256), "float16", uniform(-1.0, 1.0)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.56, threads=1))
