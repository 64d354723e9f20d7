"""log_softmax, backward, on MXNet 1.9.1: 1.95 times as slow as a neighbour that does equal work.

slow       133 us a call, where 70.1 us were expected
fast       70.1 us a call
step       softmax: both need the maximum and the sum of exponentials of each row
ratio      1.95 times, 95% interval 1.87 to 2.03, with 1 thread
family     this input; no family of it holds on fresh draws
also       forward, 2.29 times
neighbour  1.95 times: softmax: both need the maximum and the sum of exponentials of each row
roofline   5.69 times: this machine can move and compute as much in that time
kin        2.00 times: softmax of the same input

Measure it again: python log_softmax-5.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("log_softmax/88ac5b3c", profile="finding")
def slow():
    return dict(
        data=tensor((16385,), "float64", uniform(-1.0, 1.0)),
    )


@case("softmax/53bc8c03", profile="contrast", operator="softmax")
def fast():
    return dict(
        data=tensor((16385,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.39, threads=1))
