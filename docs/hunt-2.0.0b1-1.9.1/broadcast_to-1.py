"""broadcast_to, forward: 1.91 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       175 us a call, where 83.3 us were expected
fast       83.3 us a call
step       the same input on MXNet 1.9.1
ratio      1.91 times, 95% interval 1.79 to 2.05, with 1 thread
family     this input; no family of it holds on fresh draws
side       1.91 times: the same input on MXNet 1.9.1
roofline   11.6 times: this machine can move and compute as much in that time

Measure it again: python broadcast_to-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.38 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_to",
    category="expanding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("broadcast_to/5a6fa330", profile="finding")
def both():
    return dict(
        data=tensor((65536,), "float16", uniform(-1.0, 1.0)),
        shape=(65536,),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.38, threads=1, sides=sides))
