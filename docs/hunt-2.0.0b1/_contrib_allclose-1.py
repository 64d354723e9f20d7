"""_contrib_allclose, forward, on MXNet 2.0.0b1: 4.57 times as slow as a neighbour that does equal work.

slow       75.8 us a call, where 16.6 us were expected
fast       16.6 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.57 times, 95% interval 4.40 to 4.64, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.57 times: int32: as many elements, 2 times the bytes
roofline   6.25 times: this machine can move and compute as much in that time

Measure it again: python _contrib_allclose-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.14 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_allclose",
    category="comparison",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_allclose/ebaa10e6", profile="finding")
def slow():
    return dict(
        a=tensor((2371,), "float16", uniform(-1.0, 1.0)),
        b=tensor((2371,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_allclose/39f34bba", profile="contrast")
def fast():
    return dict(
        a=tensor((2371,), "int32", integers(0, 10)),
        b=tensor((2371,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.14, threads=1))
