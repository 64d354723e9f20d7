"""_foreach, backward: 2.08 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       5,509 us a call, where 2,417 us were expected
fast       2,417 us a call
step       the same input on MXNet 1.9.1
ratio      2.08 times, 95% interval 1.70 to 2.57, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.08 times: the same input on MXNet 1.9.1
roofline   465 times: this machine can move and compute as much in that time

Measure it again: python _foreach-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.44 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_foreach",
    category="control_flow",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_foreach/3d89bc4a", profile="finding")
def both():
    return dict(
        data=[tensor((64, 1, 8), "float32", uniform(-1.0, 1.0)), tensor((1, 8), "float32", uniform(-1.0, 1.0))],
        fn=graph("row", "state", nodes=[node("total", "elemwise_add", "row", "state")], outputs=["total", "total"]),
        in_data_locs=(0,),
        in_state_locs=(1,),
        num_args=3,
        num_out_data=1,
        num_outputs=2,
        remain_locs=(),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.44, threads=1, sides=sides))
