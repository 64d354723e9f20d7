"""_while_loop, backward, on MXNet 1.9.1: 4.11 times as slow as a neighbour that does equal work.

slow       745 us a call, where 175 us were expected
fast       175 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.11 times, 95% interval 3.85 to 4.30, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.11 times: int32: as many elements, 2 times the bytes
roofline   46.1 times: this machine can move and compute as much in that time
forward    1.34 times: the forward pass of the same input

Measure it again: python _while_loop-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.03 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, graph, integers, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_while_loop",
    category="control_flow",
    mxnet="1.9.1",
    seed=0,
)


@case("_while_loop/6989e89b", profile="finding")
def slow():
    return dict(
        data=[tensor((1,), "float32", constant(0.0)), tensor((128, 256), "float16", uniform(-1.0, 1.0))],
        cond=graph("count", nodes=[node("more", "_lesser_scalar", "count", scalar=1.0)], outputs=["more"]),
        func=graph("count", "state", nodes=[node("counted", "_plus_scalar", "count", scalar=1.0), node("next", "_mul_scalar", "state", scalar=0.5), node("row", "identity", "next")], outputs=["row", "counted", "next"]),
        cond_input_locs=(0,),
        func_input_locs=(1, 0),
        func_var_locs=(1, 0),
        max_iterations=1,
        num_args=4,
        num_out_data=1,
        num_outputs=3,
    )


@case("_while_loop/558370ef", profile="contrast")
def fast():
    return dict(
        data=[tensor((1,), "float32", constant(0.0)), tensor((128, 256), "int32", integers(0, 10))],
        cond=graph("count", nodes=[node("more", "_lesser_scalar", "count", scalar=1.0)], outputs=["more"]),
        func=graph("count", "state", nodes=[node("counted", "_plus_scalar", "count", scalar=1.0), node("next", "_mul_scalar", "state", scalar=0.5), node("row", "identity", "next")], outputs=["row", "counted", "next"]),
        cond_input_locs=(0,),
        func_input_locs=(1, 0),
        func_var_locs=(1, 0),
        max_iterations=1,
        num_args=4,
        num_out_data=1,
        num_outputs=3,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.03, threads=1))
