"""hard_sigmoid, backward, on MXNet 1.9.1: 3.33 times as slow as a neighbour that does equal work.

slow       124 us a call, where 37.7 us were expected
fast       37.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.33 times, 95% interval 3.20 to 3.46, with 1 thread
family     float16
also       forward, 5.29 times
neighbour  3.33 times: float32: as many elements, 2 times the bytes
roofline   7.99 times: this machine can move and compute as much in that time
forward    1.62 times: the forward pass of the same input

Measure it again: python hard_sigmoid-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.82 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="hard_sigmoid",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("hard_sigmoid/71bff962", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("hard_sigmoid/b2faf711", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.82, threads=1))
