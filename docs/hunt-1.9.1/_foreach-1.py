"""_foreach, forward, on MXNet 1.9.1: 3.14 times as slow as a neighbour that does equal work.

slow       523 us a call, where 187 us were expected
fast       187 us a call
step       data.shape[0] of 1 and data.shape[1] of 32
ratio      3.14 times, 95% interval 2.88 to 3.83, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 3.84 times
neighbour  3.14 times: data.shape[0] of 1 and data.shape[1] of 32
roofline   33.9 times: this machine can move and compute as much in that time

Measure it again: python _foreach-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.77 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_foreach",
    category="control_flow",
    mxnet="1.9.1",
    seed=0,
)


@case("_foreach/f0965e86", profile="finding")
def slow():
    return dict(
        data=[tensor((16, 2, 1), "float32", uniform(-1.0, 1.0)), tensor((2, 1), "float32", uniform(-1.0, 1.0))],
        fn=graph("row", "state", nodes=[node("total", "elemwise_add", "row", "state")], outputs=["total", "total"]),
        in_data_locs=(0,),
        in_state_locs=(1,),
        num_args=3,
        num_out_data=1,
        num_outputs=2,
        remain_locs=(),
    )


@case("_foreach/ae689b8b", profile="contrast")
def fast():
    return dict(
        data=[tensor((1, 32, 1), "float32", uniform(-1.0, 1.0)), tensor((32, 1), "float32", uniform(-1.0, 1.0))],
        fn=graph("row", "state", nodes=[node("total", "elemwise_add", "row", "state")], outputs=["total", "total"]),
        in_data_locs=(0,),
        in_state_locs=(1,),
        num_args=3,
        num_out_data=1,
        num_outputs=2,
        remain_locs=(),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.77, threads=1))
