"""tanh, backward, on MXNet 1.9.1: 2.91 times as slow as a neighbour that does equal work.

slow       131 us a call, where 45.4 us were expected
fast       45.4 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.91 times, 95% interval 2.72 to 3.11, with 1 thread
family     float16
also       forward, 3.61 times
neighbour  2.91 times: float64: as many elements, 4 times the bytes
roofline   8.41 times: this machine can move and compute as much in that time

Measure it again: python tanh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="tanh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("tanh/9d86c310", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("tanh/eb24158c", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.71, threads=1))
