"""softmax, forward, on MXNet 2.0.0b1: 3.07 times as slow as a neighbour that does equal work.

slow       132 us a call, where 44.6 us were expected
fast       44.6 us a call
step       data.shape[0] of 1 and data.shape[1] of 1,875
ratio      3.07 times, 95% interval 2.76 to 3.50, with 1 thread
family     this input; no family of it holds on fresh draws
also       backward, 2.37 times
neighbour  3.07 times: data.shape[0] of 1 and data.shape[1] of 1,875
roofline   10.7 times: this machine can move and compute as much in that time
kin        2.25 times: log_softmax of the same input

Measure it again: python softmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=5,
)


@case("softmax/60dbf04b", profile="finding")
def slow():
    return dict(
        data=tensor((1875, 1), "float32", uniform(-1.0, 1.0)),
        temperature=2.0,
    )


@case("softmax/c661fe3f", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1875), "float32", uniform(-1.0, 1.0)),
        temperature=2.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.75, threads=1))
