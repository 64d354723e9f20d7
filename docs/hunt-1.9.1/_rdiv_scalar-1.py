"""_rdiv_scalar, backward, on MXNet 1.9.1: 2.91 times as slow as a neighbour that does equal work.

slow       172 us a call, where 60.1 us were expected
fast       60.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.91 times, 95% interval 2.77 to 3.08, with 1 thread
family     float16
also       forward, 2.56 times
neighbour  2.91 times: float32: as many elements, 2 times the bytes
roofline   11.0 times: this machine can move and compute as much in that time
forward    3.19 times: the forward pass of the same input

Measure it again: python _rdiv_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_rdiv_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_rdiv_scalar/a94dae01", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("_rdiv_scalar/25f0b4f1", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.71, threads=1))
