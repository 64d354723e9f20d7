"""_np_diagonal, backward, on MXNet 1.9.1: 1.93 times as slow as a neighbour that does equal work.

slow       191 us a call, where 99.9 us were expected
fast       99.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.93 times, 95% interval 1.86 to 2.03, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.93 times: float32: as many elements, 2 times the bytes
model      2.50 times: half of 32 other inputs lie within a factor of 1.05 of it
roofline   7.69 times: this machine can move and compute as much in that time
forward    6.34 times: the forward pass of the same input

Measure it again: python _np_diagonal-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.39 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_diagonal",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_diagonal/4ec8e3a8", profile="finding")
def slow():
    return dict(
        data=tensor((512, 1024), "float16", uniform(-1.0, 1.0)),
    )


@case("_np_diagonal/34532c57", profile="contrast")
def fast():
    return dict(
        data=tensor((512, 1024), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.39, threads=1))
