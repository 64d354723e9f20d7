"""slice, backward: 2.20 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       193 us a call, where 88.0 us were expected
fast       88.0 us a call
step       the same input on MXNet 1.9.1
ratio      2.20 times, 95% interval 2.15 to 2.29, with 1 thread
family     every input
side       2.20 times: the same input on MXNet 1.9.1
roofline   14.4 times: this machine can move and compute as much in that time
forward    4.16 times: the forward pass of the same input

Measure it again: python slice-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.48 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="slice",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("slice/f62e91de", profile="finding")
def both():
    return dict(
        data=tensor((16384, 1), "float32", uniform(-1.0, 1.0)),
        begin=(None,),
        end=(-1,),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.48, threads=1, sides=sides))
