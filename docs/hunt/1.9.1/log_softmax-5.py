"""log_softmax, backward, on MXNet 1.9.1: 2.72 times as slow as a neighbour that does equal work.

slow       369 us a call, where 137 us were expected
fast       137 us a call
step       softmax: both need the maximum and the sum of exponentials of each row
ratio      2.72 times, 95% interval 2.63 to 2.82, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.72 times: softmax: both need the maximum and the sum of exponentials of each row
roofline   25.0 times: this machine can move and compute as much in that time
kin        2.71 times: softmax of the same input

Measure it again: python log_softmax-5.py
It times both interleaved, and exits with 1 if slow takes more than 1.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("log_softmax/f2a62a79", profile="finding")
def slow():
    return dict(
        data=tensor((32770,), "float32", uniform(-1.0, 1.0)),
        temperature=2.0,
    )


@case("softmax/04378e41", profile="contrast", operator="softmax")
def fast():
    return dict(
        data=tensor((32770,), "float32", uniform(-1.0, 1.0)),
        temperature=2.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.65, threads=1))
