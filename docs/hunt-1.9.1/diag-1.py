"""diag, backward, on MXNet 1.9.1: 2.17 times as slow as a neighbour that does equal work.

slow       336 us a call, where 155 us were expected
fast       155 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.17 times, 95% interval 2.15 to 2.22, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.17 times: float32: as many elements, 2 times the bytes
roofline   8.76 times: this machine can move and compute as much in that time
forward    10.4 times: the forward pass of the same input

Measure it again: python diag-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.47 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="diag",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("diag/7d6d4249", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "float16", uniform(-1.0, 1.0)),
    )


@case("diag/6139b9b4", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.47, threads=1))
