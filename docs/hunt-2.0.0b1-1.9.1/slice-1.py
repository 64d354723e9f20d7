"""slice, backward: 2.21 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       198 us a call, where 90.0 us were expected
fast       90.0 us a call
step       the same input on MXNet 1.9.1
ratio      2.21 times, 95% interval 2.13 to 2.28, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.21 times: the same input on MXNet 1.9.1
roofline   11.9 times: this machine can move and compute as much in that time
forward    2.45 times: the forward pass of the same input

Measure it again: python slice-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.49 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("slice/9a16d6dd", profile="finding")
def both():
    return dict(
        data=tensor((16384, 1), "float32", uniform(-1.0, 1.0)),
        begin=(1,),
        end=(None,),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.49, threads=1, sides=sides))
