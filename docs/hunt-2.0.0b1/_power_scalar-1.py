"""_power_scalar, backward, on MXNet 2.0.0b1: 2.98 times as slow as a neighbour that does equal work.

slow       223 us a call, where 74.3 us were expected
fast       74.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.98 times, 95% interval 2.88 to 3.06, with 1 thread
family     float16
also       forward, 2.08 times
neighbour  2.98 times: float32: as many elements, 2 times the bytes
roofline   18.0 times: this machine can move and compute as much in that time

Measure it again: python _power_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_power_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_power_scalar/1d374d20", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(0.1, 2.0)),
    )


@case("_power_scalar/3997d075", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.73, threads=1))
