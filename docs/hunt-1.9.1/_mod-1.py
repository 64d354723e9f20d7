"""_mod, backward, on MXNet 1.9.1: 3.17 times as slow as a neighbour that does equal work.

slow       136 us a call, where 43.5 us were expected
fast       43.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.17 times, 95% interval 3.06 to 3.30, with 1 thread
family     float16
neighbour  3.17 times: float32: as many elements, 2 times the bytes
roofline   8.71 times: this machine can move and compute as much in that time
forward    2.41 times: the forward pass of the same input

Measure it again: python _mod-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_mod",
    category="elementwise",
    mxnet="1.9.1",
    seed=0,
)


@case("_mod/ab0f1aff", profile="finding")
def slow():
    return dict(
        lhs=tensor((2048,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((2048,), "float16", uniform(0.1, 2.0)),
    )


@case("_mod/161ca894", profile="contrast")
def fast():
    return dict(
        lhs=tensor((2048,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((2048,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.78, threads=1))
