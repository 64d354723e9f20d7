"""arccos, backward, on MXNet 1.9.1: 2.10 times as slow as a neighbour that does equal work.

slow       118 us a call, where 56.2 us were expected
fast       56.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.10 times, 95% interval 1.98 to 2.21, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.03 times
neighbour  2.10 times: float32: as many elements, 2 times the bytes
roofline   7.59 times: this machine can move and compute as much in that time
forward    1.41 times: the forward pass of the same input

Measure it again: python arccos-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="arccos",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("arccos/a065b69f", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-0.9, 0.9)),
    )


@case("arccos/03681521", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
