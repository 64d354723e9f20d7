"""degrees, backward, on MXNet 2.0.0b1: 2.07 times as slow as a neighbour that does equal work.

slow       90.9 us a call, where 43.5 us were expected
fast       43.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.07 times, 95% interval 1.98 to 2.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 4.61 times
neighbour  2.07 times: float32: as many elements, 2 times the bytes
roofline   7.32 times: this machine can move and compute as much in that time

Measure it again: python degrees-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="degrees",
    category="trigonometric",
    mxnet="2.0.0b1",
    seed=0,
)


@case("degrees/d93136a6", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("degrees/d8465b1e", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.44, threads=1))
