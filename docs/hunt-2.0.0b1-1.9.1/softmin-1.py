"""softmin, backward: 2.51 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       5,948 us a call, where 2,394 us were expected
fast       2,394 us a call
step       the same input on MXNet 1.9.1
ratio      2.51 times, 95% interval 2.48 to 2.56, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.51 times: the same input on MXNet 1.9.1
roofline   92.4 times: this machine can move and compute as much in that time

Measure it again: python softmin-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.59 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmin",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("softmin/1608030e", profile="finding")
def both():
    return dict(
        data=tensor((527520, 1), "float32", uniform(-1.0, 1.0)),
        axis=-1,
        temperature=0.5,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.59, threads=1, sides=sides))
