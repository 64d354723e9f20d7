"""log1p, backward, on MXNet 1.9.1: 3.00 times as slow as a neighbour that does equal work.

slow       120 us a call, where 42.2 us were expected
fast       42.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.00 times, 95% interval 2.83 to 3.22, with 1 thread
family     float16
also       forward, 2.15 times
neighbour  3.00 times: float32: as many elements, 2 times the bytes
roofline   7.70 times: this machine can move and compute as much in that time
forward    1.20 times: the forward pass of the same input

Measure it again: python log1p-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log1p",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("log1p/38ff2eba", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("log1p/7169ebcd", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.73, threads=1))
