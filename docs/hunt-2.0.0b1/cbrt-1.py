"""cbrt, backward, on MXNet 2.0.0b1: 4.04 times as slow as a neighbour that does equal work.

slow       244 us a call, where 56.8 us were expected
fast       56.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.04 times, 95% interval 3.67 to 4.31, with 1 thread
family     float16
neighbour  4.04 times: float32: as many elements, 2 times the bytes
roofline   19.7 times: this machine can move and compute as much in that time

Measure it again: python cbrt-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="cbrt",
    category="power",
    mxnet="2.0.0b1",
    seed=0,
)


@case("cbrt/df31f3c5", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(0.1, 2.0)),
    )


@case("cbrt/908c6a12", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.01, threads=1))
