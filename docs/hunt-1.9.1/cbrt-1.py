"""cbrt, backward, on MXNet 1.9.1: 3.11 times as slow as a neighbour that does equal work.

slow       119 us a call, where 38.6 us were expected
fast       38.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.11 times, 95% interval 3.03 to 3.19, with 1 thread
family     float16
also       forward, 2.64 times
neighbour  3.11 times: float32: as many elements, 2 times the bytes
roofline   7.62 times: this machine can move and compute as much in that time

Measure it again: python cbrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="cbrt",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("cbrt/29d8e7f1", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("cbrt/8f16a3f5", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.76, threads=1))
