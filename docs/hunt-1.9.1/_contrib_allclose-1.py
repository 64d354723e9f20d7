"""_contrib_allclose, forward, on MXNet 1.9.1: 5.57 times as slow as a neighbour that does equal work.

slow       102 us a call, where 18.9 us were expected
fast       18.9 us a call
step       int64: as many elements, 4 times the bytes
ratio      5.57 times, 95% interval 5.14 to 6.03, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.57 times: int64: as many elements, 4 times the bytes
roofline   6.55 times: this machine can move and compute as much in that time

Measure it again: python _contrib_allclose-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.36 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_allclose",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_allclose/888cc7a0", profile="finding")
def slow():
    return dict(
        a=tensor((2094,), "float16", uniform(-1.0, 1.0)),
        b=tensor((2094,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_allclose/48f2c222", profile="contrast")
def fast():
    return dict(
        a=tensor((2094,), "int64", integers(0, 10)),
        b=tensor((2094,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.36, threads=1))
