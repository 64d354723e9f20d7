"""add_n, forward, on MXNet 1.9.1: 3.52 times as slow as a neighbour that does equal work.

slow       129 us a call, where 37.6 us were expected
fast       37.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.52 times, 95% interval 3.17 to 3.90, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.52 times: int64: as many elements, 4 times the bytes
roofline   8.07 times: this machine can move and compute as much in that time

Measure it again: python add_n-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="add_n",
    category="join_split",
    mxnet="1.9.1",
    seed=0,
)


@case("add_n/f7a4f916", profile="finding")
def slow():
    return dict(
        args=[tensor((8192,), "float16", uniform(-1.0, 1.0)), tensor((8192,), "float16", uniform(-1.0, 1.0))],
        num_args=2,
    )


@case("add_n/331c2d3c", profile="contrast")
def fast():
    return dict(
        args=[tensor((8192,), "int64", integers(0, 10)), tensor((8192,), "int64", integers(0, 10))],
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
