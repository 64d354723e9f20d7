"""SVMOutput, backward, on MXNet 2.0.0b1: 1.99 times as slow as a neighbour that does equal work.

slow       102 us a call, where 51.2 us were expected
fast       51.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.99 times, 95% interval 1.86 to 2.03, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.99 times: float32: as many elements, 2 times the bytes
roofline   8.45 times: this machine can move and compute as much in that time
forward    2.75 times: the forward pass of the same input

Measure it again: python SVMOutput-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SVMOutput",
    category="loss",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SVMOutput/028a2fc5", profile="finding")
def slow():
    return dict(
        data=tensor((157, 10), "float16", uniform(-1.0, 1.0)),
        label=tensor((157,), "float16", integers(0, 10)),
    )


@case("SVMOutput/1934ebc7", profile="contrast")
def fast():
    return dict(
        data=tensor((157, 10), "float32", uniform(-1.0, 1.0)),
        label=tensor((157,), "float32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.41, threads=1))
