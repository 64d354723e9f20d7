"""SVMOutput, backward, on MXNet 1.9.1: 3.03 times as slow as a neighbour that does equal work.

slow       138 us a call, where 46.1 us were expected
fast       46.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      3.03 times, 95% interval 2.95 to 3.13, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  3.03 times: float32: as many elements, 2 times the bytes
roofline   8.88 times: this machine can move and compute as much in that time
forward    3.13 times: the forward pass of the same input

Measure it again: python SVMOutput-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.74 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SVMOutput",
    category="loss",
    mxnet="1.9.1",
    seed=0,
)


@case("SVMOutput/42720cda", profile="finding")
def slow():
    return dict(
        data=tensor((2, 1000), "float16", uniform(-1.0, 1.0)),
        label=tensor((2,), "float16", integers(0, 1000)),
    )


@case("SVMOutput/d76a61b8", profile="contrast")
def fast():
    return dict(
        data=tensor((2, 1000), "float32", uniform(-1.0, 1.0)),
        label=tensor((2,), "float32", integers(0, 1000)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.74, threads=1))
