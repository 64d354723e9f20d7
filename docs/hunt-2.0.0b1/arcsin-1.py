"""arcsin, backward, on MXNet 2.0.0b1: 2.19 times as slow as a neighbour that does equal work.

slow       111 us a call, where 50.5 us were expected
fast       50.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.19 times, 95% interval 2.10 to 2.36, with 1 thread
family     float16
neighbour  2.19 times: float32: as many elements, 2 times the bytes
roofline   9.07 times: this machine can move and compute as much in that time
forward    1.24 times: the forward pass of the same input

Measure it again: python arcsin-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.48 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="arcsin",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("arcsin/4405573d", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-0.9, 0.9)),
    )


@case("arcsin/354ae1fa", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.48, threads=1))
