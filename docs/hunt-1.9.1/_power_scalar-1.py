"""_power_scalar, backward, on MXNet 1.9.1: 3.35 times as slow as a neighbour that does equal work.

slow       190 us a call, where 53.4 us were expected
fast       53.4 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.35 times, 95% interval 3.14 to 3.53, with 1 thread
family     float16
also       forward, 3.28 times
neighbour  3.35 times: float32: as many elements, 2 times the bytes
roofline   12.2 times: this machine can move and compute as much in that time
forward    1.45 times: the forward pass of the same input

Measure it again: python _power_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.83 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_power_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_power_scalar/e15af969", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_power_scalar/a734afda", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.83, threads=1))
