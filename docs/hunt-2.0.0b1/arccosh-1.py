"""arccosh, backward, on MXNet 2.0.0b1: 2.33 times as slow as a neighbour that does equal work.

slow       180 us a call, where 79.3 us were expected
fast       79.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.33 times, 95% interval 2.21 to 2.48, with 1 thread
family     float16
neighbour  2.33 times: float32: as many elements, 2 times the bytes
roofline   14.8 times: this machine can move and compute as much in that time
forward    1.97 times: the forward pass of the same input

Measure it again: python arccosh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="arccosh",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("arccosh/5a474ddd", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(1.1, 4.0)),
    )


@case("arccosh/8f19c4d2", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(1.1, 4.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.52, threads=1))
