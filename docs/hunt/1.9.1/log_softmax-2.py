"""log_softmax, forward, on MXNet 1.9.1: 13.1 times as slow as a neighbour that does equal work.

slow       239 us a call, where 18.4 us were expected
fast       18.4 us a call
step       axes 0 and 1 exchanged
ratio      13.1 times, 95% interval 12.9 to 13.4, with 1 thread
family     float32, and the length along axis is 1 or 2, and temperature is not given, and axis is the last
also       backward, 2.32 times
neighbour  13.1 times: axes 0 and 1 exchanged
roofline   11.8 times: this machine can move and compute as much in that time
kin        2.61 times: softmax of the same input

Measure it again: python log_softmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 3.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("log_softmax/89597872", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("log_softmax/9de98b3a", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.62, threads=1))
