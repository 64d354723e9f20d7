"""clip, forward, on MXNet 2.0.0b1: 2.23 times as slow as a neighbour that does equal work.

slow       129 us a call, where 57.9 us were expected
fast       57.9 us a call
step       relu: both compare each element with limits
ratio      2.23 times, 95% interval 1.99 to 2.40, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.23 times: relu: both compare each element with limits
roofline   8.45 times: this machine can move and compute as much in that time
kin        1.97 times: relu of the same input

Measure it again: python clip-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="clip",
    category="unary",
    mxnet="2.0.0b1",
    seed=0,
)


@case("clip/28af47b4", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        a_max=0.5,
        a_min=-0.5,
    )


@case("relu/480104b5", profile="contrast", operator="relu")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.49, threads=1))
