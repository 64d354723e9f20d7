"""_set_value, forward, on MXNet 1.9.1: 4.63 times as slow as a neighbour that does equal work.

slow       110 us a call, where 23.6 us were expected
fast       23.6 us a call
step       float32: as many elements, 4 times the bytes
ratio      4.63 times, 95% interval 4.47 to 4.70, with 1 thread
family     int8 or uint8
neighbour  4.63 times: float32: as many elements, 4 times the bytes
model      1.92 times: half of 24 other inputs lie within a factor of 1.29 of it
roofline   6.65 times: this machine can move and compute as much in that time

Measure it again: python _set_value-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.15 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_set_value",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_set_value/21bc81d9", profile="finding", in_place=("out",))
def slow():
    return dict(
        out=tensor((100000,), "int8", integers(0, 10)),
        src=0.5,
    )


@case("_set_value/4c8b4125", profile="contrast", in_place=("out",))
def fast():
    return dict(
        out=tensor((100000,), "float32", uniform(-1.0, 1.0)),
        src=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.15, threads=1))
