"""log, backward, on MXNet 2.0.0b1: 5.84 times as slow as a neighbour that does equal work.

slow       297 us a call, where 51.4 us were expected
fast       51.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.84 times, 95% interval 5.47 to 6.07, with 1 thread
family     float16
also       forward, 2.46 times
neighbour  5.84 times: float32: as many elements, 2 times the bytes
roofline   23.1 times: this machine can move and compute as much in that time
forward    1.70 times: the forward pass of the same input

Measure it again: python log-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log",
    category="exponential",
    mxnet="2.0.0b1",
    seed=0,
)


@case("log/8d2b1fa9", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(0.1, 2.0)),
    )


@case("log/a7b1c330", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.42, threads=1))
