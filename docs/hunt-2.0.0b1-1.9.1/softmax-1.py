"""softmax, backward: 2.10 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       1,355 us a call, where 640 us were expected
fast       640 us a call
step       the same input on MXNet 1.9.1
ratio      2.10 times, 95% interval 2.00 to 2.18, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.10 times: the same input on MXNet 1.9.1
roofline   49.3 times: this machine can move and compute as much in that time

Measure it again: python softmax-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.45 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("softmax/195a0350", profile="finding")
def both():
    return dict(
        data=tensor((1, 5, 20972, 1), "float32", uniform(-1.0, 1.0)),
        length=tensor((1, 5, 20972), "int32", integers(1, 2)),
        use_length=True,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.45, threads=1, sides=sides))
