"""stack, forward, on MXNet 2.0.0b1: 3.10 times as slow as a neighbour that does equal work.

slow       95.9 us a call, where 28.8 us were expected
fast       28.8 us a call
step       int32: as many elements, as many bytes
ratio      3.10 times, 95% interval 2.86 to 3.25, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.10 times: int32: as many elements, as many bytes
roofline   6.69 times: this machine can move and compute as much in that time

Measure it again: python stack-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="stack",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("stack/8f4b0e29", profile="finding")
def slow():
    return dict(
        data=[tensor((11653,), "float32", uniform(-1.0, 1.0)), tensor((11653,), "float32", uniform(-1.0, 1.0))],
        num_args=2,
    )


@case("stack/fdc43c4a", profile="contrast")
def fast():
    return dict(
        data=[tensor((11653,), "int32", integers(0, 10)), tensor((11653,), "int32", integers(0, 10))],
        num_args=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.76, threads=1))
