"""_div_scalar, forward, on MXNet 2.0.0b1: 9.16 times as slow as a neighbour that does equal work.

slow       185 us a call, where 20.3 us were expected
fast       20.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      9.16 times, 95% interval 9.10 to 9.25, with 1 thread
family     float16
also       backward, 4.12 times
neighbour  9.16 times: float32: as many elements, 2 times the bytes
roofline   13.6 times: this machine can move and compute as much in that time

Measure it again: python _div_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.03 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_div_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_div_scalar/8511970b", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_div_scalar/ad6708c8", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.03, threads=1))
