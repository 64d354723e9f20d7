"""_np_diag, backward, on MXNet 1.9.1: 2.16 times as slow as a neighbour that does equal work.

slow       334 us a call, where 154 us were expected
fast       154 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.16 times, 95% interval 2.13 to 2.18, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.16 times: float32: as many elements, 2 times the bytes
roofline   8.70 times: this machine can move and compute as much in that time
forward    12.2 times: the forward pass of the same input

Measure it again: python _np_diag-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_diag",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_diag/b974a89e", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "float16", uniform(-1.0, 1.0)),
    )


@case("_np_diag/3d40f79f", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.47, threads=1))
