"""log_softmax, forward, on MXNet 1.9.1: 3.72 times as slow as a neighbour that does equal work.

slow       186 us a call, where 50.1 us were expected
fast       50.1 us a call
step       data.shape[0] of 1 and data.shape[1] of 1,024
ratio      3.72 times, 95% interval 3.60 to 3.83, with 1 thread
family     dtype is float32 and data.shape[-1] <= 1
neighbour  3.71 times: data.shape[0] of 1 and data.shape[1] of 1,024 takes 27% of the time
roofline   10.6 times: this machine can move and compute as much in that time
kin        1.34 times: softmax of the same input

Measure it again: python log_softmax-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.93 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log_softmax",
    category="activation",
    mxnet="1.9.1",
    seed=1,
)


@case("log_softmax/aef826e0", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("log_softmax/d1219334", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1024), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.93, threads=1))
