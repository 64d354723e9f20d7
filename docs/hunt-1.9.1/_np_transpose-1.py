"""_np_transpose, forward, on MXNet 1.9.1: 2.10 times as slow as a neighbour that does equal work.

slow       354 us a call, where 168 us were expected
fast       168 us a call
step       float64: as many elements, 2 times the bytes
ratio      2.10 times, 95% interval 1.91 to 2.11, with 1 thread
family     int32 or int8 or uint8, and dimension -3 is 2 or more, and 21,952 elements or more
neighbour  2.10 times: float64: as many elements, 2 times the bytes
roofline   17.9 times: this machine can move and compute as much in that time

Measure it again: python _np_transpose-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_transpose",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_transpose/67a25ba4", profile="finding")
def slow():
    return dict(
        a=tensor((4, 4, 56, 56), "int32", integers(0, 10)),
        axes=(0, 2, 3, 1),
    )


@case("_np_transpose/db042106", profile="contrast")
def fast():
    return dict(
        a=tensor((4, 4, 56, 56), "float64", uniform(-1.0, 1.0)),
        axes=(0, 2, 3, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.45, threads=1))
