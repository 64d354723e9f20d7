"""_slice_assign, forward: 2.99 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       139 us a call, where 45.4 us were expected
fast       45.4 us a call
step       the same input on MXNet 1.9.1
ratio      2.99 times, 95% interval 2.73 to 3.17, with 1 thread
family     a dtype other than float16
side       2.99 times: the same input on MXNet 1.9.1
roofline   10.7 times: this machine can move and compute as much in that time

Measure it again: python _slice_assign-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.73 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_slice_assign",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_slice_assign/d049c796", profile="finding", in_place=("lhs",))
def both():
    return dict(
        lhs=tensor((1, 8192, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1, 8192, 1), "float32", uniform(-1.0, 1.0)),
        begin=(0,),
        end=(None,),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.73, threads=1, sides=sides))
