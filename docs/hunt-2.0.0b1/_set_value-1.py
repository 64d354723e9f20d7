"""_set_value, forward, on MXNet 2.0.0b1: 2.86 times as slow as a neighbour that does equal work.

slow       289 us a call, where 99.7 us were expected
fast       49.8 us a call
step       int32: as many elements, half the bytes
ratio      2.86 times, 95% interval 2.79 to 2.94, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.86 times: int32: as many elements, half the bytes
roofline   7.52 times: this machine can move and compute as much in that time

Measure it again: python _set_value-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_set_value",
    category="creation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_set_value/7cb549bb", profile="finding", in_place=("out",))
def slow():
    return dict(
        out=tensor((262144,), "int64", integers(0, 10)),
        src=0.5,
    )


@case("_set_value/e0143594", profile="contrast", in_place=("out",))
def fast():
    return dict(
        out=tensor((262144,), "int32", integers(0, 10)),
        src=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.38, threads=1))
