"""rsqrt, backward, on MXNet 2.0.0b1: 3.96 times as slow as a neighbour that does equal work.

slow       319 us a call, where 82.7 us were expected
fast       82.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.96 times, 95% interval 3.84 to 4.13, with 1 thread
family     float16
also       forward, 3.09 times
neighbour  3.96 times: float32: as many elements, 2 times the bytes
roofline   24.9 times: this machine can move and compute as much in that time
forward    2.57 times: the forward pass of the same input

Measure it again: python rsqrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="rsqrt",
    category="power",
    mxnet="2.0.0b1",
    seed=0,
)


@case("rsqrt/69bbbb9f", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(0.1, 2.0)),
    )


@case("rsqrt/2b9a3b20", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.99, threads=1))
