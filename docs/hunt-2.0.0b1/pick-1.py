"""pick, backward, on MXNet 2.0.0b1: 1.97 times as slow as a neighbour that does equal work.

slow       298 us a call, where 150 us were expected
fast       150 us a call
step       float32: as many elements, 2 times the bytes
ratio      1.97 times, 95% interval 1.90 to 2.05, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.97 times: float32: as many elements, 2 times the bytes
roofline   19.5 times: this machine can move and compute as much in that time
forward    3.91 times: the forward pass of the same input

Measure it again: python pick-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="pick",
    category="indexing",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.4, threads=1))
