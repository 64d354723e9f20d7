"""log, backward, on MXNet 1.9.1: 2.07 times as slow as a neighbour that does equal work.

slow       76.4 us a call, where 36.6 us were expected
fast       36.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.07 times, 95% interval 1.97 to 2.12, with 1 thread
family     float16
also       forward, 2.52 times
neighbour  2.07 times: float64: as many elements, 4 times the bytes
roofline   4.92 times: this machine can move and compute as much in that time

Measure it again: python log-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("log/0d072ac6", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(0.1, 2.0)),
    )


@case("log/b3cf6203", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.44, threads=1))
