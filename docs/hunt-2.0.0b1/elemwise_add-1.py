"""elemwise_add, forward, on MXNet 2.0.0b1: 5.88 times as slow as a neighbour that does equal work.

slow       181 us a call, where 31.2 us were expected
fast       31.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      5.88 times, 95% interval 5.57 to 6.29, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  5.88 times: int32: as many elements, 2 times the bytes
roofline   13.6 times: this machine can move and compute as much in that time

Measure it again: python elemwise_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.43 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="elemwise_add",
    category="elementwise",
    mxnet="2.0.0b1",
    seed=0,
)


@case("elemwise_add/23376afd", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("elemwise_add/cff67833", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "int32", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.43, threads=1))
