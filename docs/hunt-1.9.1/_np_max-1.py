"""_np_max, forward, on MXNet 1.9.1: 4.18 times as slow as a neighbour that does equal work.

slow       111 us a call, where 26.4 us were expected
fast       26.4 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.18 times, 95% interval 3.96 to 4.39, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.18 times: int32: as many elements, 2 times the bytes
roofline   7.15 times: this machine can move and compute as much in that time

Measure it again: python _np_max-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.04 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_max",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_max/cd3f3ceb", profile="finding")
def slow():
    return dict(
        a=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("_np_max/b5b320ce", profile="contrast")
def fast():
    return dict(
        a=tensor((2048,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.04, threads=1))
