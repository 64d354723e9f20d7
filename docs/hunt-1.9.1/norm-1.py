"""norm, backward, on MXNet 1.9.1: 2.29 times as slow as a neighbour that does equal work.

slow       114 us a call, where 51.1 us were expected
fast       51.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.29 times, 95% interval 2.14 to 2.39, with 1 thread
family     float16
also       forward, 11.6 times
neighbour  2.29 times: float64: as many elements, 4 times the bytes
roofline   7.39 times: this machine can move and compute as much in that time
kin        2.38 times: sum of the same input

Measure it again: python norm-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="norm",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("norm/499f9443", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("norm/f3b273af", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.51, threads=1))
