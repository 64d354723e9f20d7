"""repeat, backward, on MXNet 1.9.1: 2.71 times as slow as a neighbour that does equal work.

slow       126 us a call, where 46.8 us were expected
fast       46.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.71 times, 95% interval 2.63 to 2.82, with 1 thread
family     float16
neighbour  2.71 times: float32: as many elements, 2 times the bytes
roofline   8.15 times: this machine can move and compute as much in that time
forward    2.97 times: the forward pass of the same input

Measure it again: python repeat-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="repeat",
    category="expanding",
    mxnet="1.9.1",
    seed=0,
)


@case("repeat/92eff660", profile="finding")
def slow():
    return dict(
        data=tensor((512,), "float16", uniform(-1.0, 1.0)),
        repeats=2,
    )


@case("repeat/e7d43f0e", profile="contrast")
def fast():
    return dict(
        data=tensor((512,), "float32", uniform(-1.0, 1.0)),
        repeats=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.65, threads=1))
