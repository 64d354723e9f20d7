"""_cond, forward, on MXNet 1.9.1: 1.95 times as slow as a neighbour that does equal work.

slow       519 us a call, where 268 us were expected
fast       268 us a call
step       int32: as many elements, 2 times the bytes
ratio      1.95 times, 95% interval 1.74 to 2.07, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.95 times: int32: as many elements, 2 times the bytes
roofline   32.2 times: this machine can move and compute as much in that time

Measure it again: python _cond-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, graph, integers, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_cond",
    category="control_flow",
    mxnet="1.9.1",
    seed=0,
)


@case("_cond/42983bd2", profile="finding")
def slow():
    return dict(
        data=[tensor((1,), "float32", constant(1.0)), tensor((128, 256), "float16", uniform(-1.0, 1.0)), tensor((1, 1), "float16", uniform(-1.0, 1.0))],
        cond=graph("predicate", nodes=[node("told", "identity", "predicate")], outputs=["told"]),
        then_branch=graph("x", "y", nodes=[node("result", "elemwise_add", "x", "y")], outputs=["result"]),
        else_branch=graph("x", "y", nodes=[node("result", "elemwise_mul", "x", "y")], outputs=["result"]),
        cond_input_locs=(0,),
        else_input_locs=(1, 1),
        num_args=6,
        num_outputs=1,
        then_input_locs=(1, 1),
    )


@case("_cond/21005e8b", profile="contrast")
def fast():
    return dict(
        data=[tensor((1,), "float32", constant(1.0)), tensor((128, 256), "int32", integers(0, 10)), tensor((1, 1), "int32", integers(0, 10))],
        cond=graph("predicate", nodes=[node("told", "identity", "predicate")], outputs=["told"]),
        then_branch=graph("x", "y", nodes=[node("result", "elemwise_add", "x", "y")], outputs=["result"]),
        else_branch=graph("x", "y", nodes=[node("result", "elemwise_mul", "x", "y")], outputs=["result"]),
        cond_input_locs=(0,),
        else_input_locs=(1, 1),
        num_args=6,
        num_outputs=1,
        then_input_locs=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.4, threads=1))
