"""_set_value, forward, on MXNet 1.9.1: 3.57 times as slow as a neighbour that does equal work.

slow       101 us a call, where 28.5 us were expected
fast       28.5 us a call
step       axes 0 and 1 made one
ratio      3.57 times, 95% interval 3.51 to 3.63, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.57 times: axes 0 and 1 made one
model      3.04 times: half of 38 other inputs lie within a factor of 1.12 of it
roofline   5.59 times: this machine can move and compute as much in that time

Measure it again: python _set_value-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.89 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_set_value",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_set_value/a3e9587b", profile="finding", in_place=("out",))
def slow():
    return dict(
        out=tensor((65536, 2), "float32", uniform(-1.0, 1.0)),
        src=0.5,
    )


@case("_set_value/41878d42", profile="contrast", in_place=("out",))
def fast():
    return dict(
        out=tensor((131072,), "float32", uniform(-1.0, 1.0)),
        src=0.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.89, threads=1))
