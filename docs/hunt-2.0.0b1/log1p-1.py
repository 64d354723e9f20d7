"""log1p, forward, on MXNet 2.0.0b1: 2.38 times as slow as a neighbour that does equal work.

slow       72.7 us a call, where 28.3 us were expected
fast       28.3 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.38 times, 95% interval 2.16 to 2.56, with 1 thread
family     float16
neighbour  2.38 times: int64: as many elements, 4 times the bytes
roofline   5.96 times: this machine can move and compute as much in that time

Measure it again: python log1p-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log1p",
    category="exponential",
    mxnet="2.0.0b1",
    seed=0,
)


@case("log1p/38ff2eba", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("log1p/99e200a5", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int64", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.54, threads=1))
