"""tan, backward, on MXNet 1.9.1: 3.65 times as slow as a neighbour that does equal work.

slow       137 us a call, where 36.8 us were expected
fast       36.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.65 times, 95% interval 3.40 to 3.79, with 1 thread
family     float16
also       forward, 2.09 times
neighbour  3.65 times: float32: as many elements, 2 times the bytes
roofline   8.78 times: this machine can move and compute as much in that time
forward    1.22 times: the forward pass of the same input

Measure it again: python tan-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.91 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="tan",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("tan/70152b23", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("tan/e4ff0a5e", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.91, threads=1))
