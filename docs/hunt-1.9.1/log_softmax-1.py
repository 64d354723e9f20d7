"""log_softmax, backward, on MXNet 1.9.1: 2.02 times as slow as a neighbour that does equal work.

slow       361 us a call, where 179 us were expected
fast       89.5 us a call
step       float32: as many elements, half the bytes
ratio      2.02 times, 95% interval 1.96 to 2.10, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 5.73 times
neighbour  2.02 times: float32: as many elements, half the bytes
roofline   17.1 times: this machine can move and compute as much in that time
kin        2.42 times: softmax of the same input

Measure it again: python log_softmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("log_softmax/9914af32", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float64", uniform(-1.0, 1.0)),
    )


@case("log_softmax/d4c74280", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.84, threads=1))
