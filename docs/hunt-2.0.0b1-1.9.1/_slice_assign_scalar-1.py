"""_slice_assign_scalar, forward: 2.04 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       118 us a call, where 58.1 us were expected
fast       58.1 us a call
step       the same input on MXNet 1.9.1
ratio      2.04 times, 95% interval 1.94 to 2.10, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.04 times: the same input on MXNet 1.9.1
roofline   4.80 times: this machine can move and compute as much in that time

Measure it again: python _slice_assign_scalar-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.43 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_slice_assign_scalar",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_slice_assign_scalar/396b8ce8", profile="finding", in_place=("data",))
def both():
    return dict(
        data=tensor((3, 7, 5, 1225), "float32", uniform(-1.0, 1.0)),
        begin=(None,),
        end=(None,),
        scalar=0.0,
        step=(-2,),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.43, threads=1, sides=sides))
