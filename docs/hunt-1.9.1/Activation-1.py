"""Activation, backward, on MXNet 1.9.1: 2.39 times as slow as a neighbour that does equal work.

slow       177 us a call, where 74.7 us were expected
fast       74.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.39 times, 95% interval 2.24 to 2.56, with 1 thread
family     float16
also       forward, 1.92 times
neighbour  2.39 times: float32: as many elements, 2 times the bytes
roofline   11.2 times: this machine can move and compute as much in that time
forward    3.04 times: the forward pass of the same input

Measure it again: python Activation-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Activation",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("Activation/d507e625", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
        act_type="relu",
    )


@case("Activation/3930d788", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        act_type="relu",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
