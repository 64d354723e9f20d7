"""exp, backward, on MXNet 1.9.1: 2.99 times as slow as a neighbour that does equal work.

slow       253 us a call, where 85.9 us were expected
fast       85.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.99 times, 95% interval 2.81 to 3.11, with 1 thread
family     float16
also       forward, 2.59 times
neighbour  2.99 times: float32: as many elements, 2 times the bytes
roofline   15.7 times: this machine can move and compute as much in that time

Measure it again: python exp-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="exp",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("exp/df6539c9", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("exp/37cbe72d", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.73, threads=1))
