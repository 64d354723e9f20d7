"""prod, forward, on MXNet 1.9.1: 3.73 times as slow as a neighbour that does equal work.

slow       120 us a call, where 32.6 us were expected
fast       32.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.73 times, 95% interval 3.45 to 4.00, with 1 thread
family     float16
neighbour  3.73 times: int64: as many elements, 4 times the bytes
roofline   7.71 times: this machine can move and compute as much in that time
kin        2.64 times: _np_prod of the same input

Measure it again: python prod-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.93 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="prod",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("prod/54a54d90", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.999, 1.001)),
    )


@case("prod/3244b209", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int64", uniform(0.999, 1.001)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.93, threads=1))
