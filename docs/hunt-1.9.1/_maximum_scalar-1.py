"""_maximum_scalar, backward, on MXNet 1.9.1: 6.39 times as slow as a neighbour that does equal work.

slow       356 us a call, where 56.1 us were expected
fast       56.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      6.39 times, 95% interval 6.27 to 6.78, with 1 thread
family     float16
also       forward, 4.22 times
neighbour  6.39 times: float32: as many elements, 2 times the bytes
roofline   21.1 times: this machine can move and compute as much in that time
forward    1.69 times: the forward pass of the same input

Measure it again: python _maximum_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_maximum_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_maximum_scalar/06ca084d", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_maximum_scalar/70cd97b6", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.53, threads=1))
