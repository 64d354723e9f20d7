"""clip, forward, on MXNet 1.9.1: 7.00 times as slow as a neighbour that does equal work.

slow       369 us a call, where 52.2 us were expected
fast       52.2 us a call
step       relu: both compare each element with limits
ratio      7.00 times, 95% interval 6.82 to 7.19, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 4.24 times
neighbour  7.00 times: relu: both compare each element with limits
roofline   17.4 times: this machine can move and compute as much in that time
kin        7.91 times: relu of the same input

Measure it again: python clip-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="clip",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("clip/7e5ddc84", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
        a_max=0.5,
        a_min=-0.5,
    )


@case("relu/c7a8c50f", profile="contrast", operator="relu")
def fast():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.65, threads=1))
