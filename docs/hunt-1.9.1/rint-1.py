"""rint, forward, on MXNet 1.9.1: 2.17 times as slow as a neighbour that does equal work.

slow       156 us a call, where 71.8 us were expected
fast       71.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.17 times, 95% interval 1.97 to 2.29, with 1 thread
family     float16 or int64
neighbour  2.17 times: float64: as many elements, 4 times the bytes
roofline   9.65 times: this machine can move and compute as much in that time

Measure it again: python rint-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="rint",
    category="rounding",
    mxnet="1.9.1",
    seed=0,
)


@case("rint/cd9860b3", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-8.0, 8.0)),
    )


@case("rint/defd1b74", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float64", uniform(-8.0, 8.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.47, threads=1))
