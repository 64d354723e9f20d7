"""_npx_cond, forward, on MXNet 2.0.0b1: 8.54 times as slow as a neighbour that does equal work.

slow       8,728 us a call, where 1,122 us were expected
fast       1,122 us a call
step       int32: as many elements, 2 times the bytes
ratio      8.54 times, 95% interval 7.58 to 9.10, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  8.54 times: int32: as many elements, 2 times the bytes
roofline   135 times: this machine can move and compute as much in that time

Measure it again: python _npx_cond-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.92 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, graph, integers, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npx_cond",
    category="control_flow",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npx_cond/4eff0367", profile="finding")
def slow():
    return dict(
        data=[tensor((1,), "float16", constant(1.0)), tensor((1024, 1024), "float16", uniform(-1.0, 1.0)), tensor((1024, 1024), "float16", uniform(-1.0, 1.0))],
        cond=graph("predicate", nodes=[node("told", "identity", "predicate")], outputs=["told"]),
        then_branch=graph("x", "y", nodes=[node("result", "elemwise_add", "x", "y")], outputs=["result"]),
        else_branch=graph("x", "y", nodes=[node("result", "elemwise_mul", "x", "y")], outputs=["result"]),
        cond_input_locs=(0,),
        else_input_locs=(1, 2),
        num_args=3,
        num_outputs=1,
        then_input_locs=(1, 1),
    )


@case("_npx_cond/ddbaf77f", profile="contrast")
def fast():
    return dict(
        data=[tensor((1,), "int32", constant(1.0)), tensor((1024, 1024), "int32", integers(0, 10)), tensor((1024, 1024), "int32", integers(0, 10))],
        cond=graph("predicate", nodes=[node("told", "identity", "predicate")], outputs=["told"]),
        then_branch=graph("x", "y", nodes=[node("result", "elemwise_add", "x", "y")], outputs=["result"]),
        else_branch=graph("x", "y", nodes=[node("result", "elemwise_mul", "x", "y")], outputs=["result"]),
        cond_input_locs=(0,),
        else_input_locs=(1, 2),
        num_args=3,
        num_outputs=1,
        then_input_locs=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.92, threads=1))
