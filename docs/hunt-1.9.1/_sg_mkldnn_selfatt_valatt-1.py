"""_sg_mkldnn_selfatt_valatt, forward, on MXNet 1.9.1: 10.8 times as slow as a neighbour that does equal work.

slow       326 us a call, where 30.4 us were expected
fast       30.4 us a call
step       axes 1 and 2 exchanged
ratio      10.8 times, 95% interval 10.5 to 11.1, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  10.8 times: axes 1 and 2 exchanged

Measure it again: python _sg_mkldnn_selfatt_valatt-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.28 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, node, probabilities, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sg_mkldnn_selfatt_valatt",
    category="subgraph",
    mxnet="1.9.1",
    seed=0,
)


@case("_sg_mkldnn_selfatt_valatt/86739aa3", profile="finding", training=False)
def slow():
    return dict(
        queries_keys_values=tensor((118, 3, 1095), "float32", uniform(-1.0, 1.0)),
        attention=tensor((1, 118, 118), "float32", probabilities()),
        graph=graph("queries_keys_values", "attention", nodes=[node("values", "_contrib_interleaved_matmul_selfatt_valatt", "queries_keys_values", "attention", heads=6)], outputs=["values"]),
        heads=2,
    )


@case("_sg_mkldnn_selfatt_valatt/6cc4b618", profile="contrast", training=False)
def fast():
    return dict(
        queries_keys_values=tensor((118, 1095, 3), "float32", uniform(-1.0, 1.0)),
        attention=tensor((1, 118, 118), "float32", probabilities()),
        graph=graph("queries_keys_values", "attention", nodes=[node("values", "_contrib_interleaved_matmul_selfatt_valatt", "queries_keys_values", "attention", heads=6)], outputs=["values"]),
        heads=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.28, threads=1))
