"""elemwise_mul, forward, on MXNet 1.9.1: 6.27 times as slow as a neighbour that does equal work.

slow       145 us a call, where 23.1 us were expected
fast       23.1 us a call
step       int64: as many elements, 4 times the bytes
ratio      6.27 times, 95% interval 6.09 to 6.43, with 1 thread
family     float16
neighbour  6.27 times: int64: as many elements, 4 times the bytes
roofline   8.77 times: this machine can move and compute as much in that time

Measure it again: python elemwise_mul-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="elemwise_mul",
    category="elementwise",
    mxnet="1.9.1",
    seed=0,
)


@case("elemwise_mul/ea6a0b0e", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("elemwise_mul/b7960dbc", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "int64", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "int64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.5, threads=1))
