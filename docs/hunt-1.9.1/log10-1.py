"""log10, backward, on MXNet 1.9.1: 3.22 times as slow as a neighbour that does equal work.

slow       120 us a call, where 38.4 us were expected
fast       38.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.22 times, 95% interval 3.08 to 3.32, with 1 thread
family     float16
also       forward, 3.31 times
neighbour  3.22 times: float32: as many elements, 2 times the bytes
roofline   7.71 times: this machine can move and compute as much in that time

Measure it again: python log10-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="log10",
    category="exponential",
    mxnet="1.9.1",
    seed=0,
)


@case("log10/7fb1f924", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("log10/404b355a", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.79, threads=1))
