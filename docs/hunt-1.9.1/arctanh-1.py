"""arctanh, backward, on MXNet 1.9.1: 2.09 times as slow as a neighbour that does equal work.

slow       76.5 us a call, where 36.5 us were expected
fast       36.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.09 times, 95% interval 2.05 to 2.14, with 1 thread
family     this input; no family of it holds on fresh draws
also       forward, 2.97 times
neighbour  2.09 times: float64: as many elements, 4 times the bytes
roofline   4.93 times: this machine can move and compute as much in that time

Measure it again: python arctanh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="arctanh",
    category="trigonometric",
    mxnet="1.9.1",
    seed=0,
)


@case("arctanh/b724a2d7", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-0.9, 0.9)),
    )


@case("arctanh/0a24c2a1", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float64", uniform(-0.9, 0.9)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
