"""_rmod_scalar, backward, on MXNet 2.0.0b1: 4.05 times as slow as a neighbour that does equal work.

slow       199 us a call, where 48.5 us were expected
fast       48.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.05 times, 95% interval 3.94 to 4.25, with 1 thread
family     float16
also       forward, 2.11 times
neighbour  4.05 times: float32: as many elements, 2 times the bytes
roofline   16.3 times: this machine can move and compute as much in that time
forward    1.62 times: the forward pass of the same input

Measure it again: python _rmod_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.01 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_rmod_scalar",
    category="scalar",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_rmod_scalar/e48b087e", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_rmod_scalar/78570e60", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.01, threads=1))
