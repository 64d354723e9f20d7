"""arctan, backward, on MXNet 1.9.1: 3.05 times as slow as a neighbour that does equal work.

slow       131 us a call, where 40.0 us were expected
fast       40.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.05 times, 95% interval 2.88 to 3.23, with 1 thread
family     float16
neighbour  3.05 times: float32: as many elements, 2 times the bytes
roofline   8.42 times: this machine can move and compute as much in that time
forward    1.38 times: the forward pass of the same input

Measure it again: python arctan-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="arctan",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("arctan/991b2348", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("arctan/12ab0d47", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.75, threads=1))
