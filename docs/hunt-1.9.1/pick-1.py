"""pick, backward, on MXNet 1.9.1: 2.11 times as slow as a neighbour that does equal work.

slow       196 us a call, where 92.8 us were expected
fast       92.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.11 times, 95% interval 2.00 to 2.19, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.11 times: float32: as many elements, 2 times the bytes
roofline   10.7 times: this machine can move and compute as much in that time
forward    3.30 times: the forward pass of the same input

Measure it again: python pick-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="pick",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("pick/68505ce3", profile="finding")
def slow():
    return dict(
        data=tensor((10000, 10), "float16", uniform(-1.0, 1.0)),
        index=tensor((10000,), "int32", integers(0, 10)),
    )


@case("pick/eb4afe5d", profile="contrast")
def fast():
    return dict(
        data=tensor((10000, 10), "float32", uniform(-1.0, 1.0)),
        index=tensor((10000,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
