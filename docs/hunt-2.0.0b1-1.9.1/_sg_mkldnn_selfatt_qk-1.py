"""_sg_mkldnn_selfatt_qk, forward: 2.21 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       126 us a call, where 67.9 us were expected
fast       67.9 us a call
step       the same input on MXNet 1.9.1
ratio      2.21 times, 95% interval 2.00 to 2.39, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.21 times: the same input on MXNet 1.9.1
roofline   10.3 times: this machine can move and compute as much in that time

Measure it again: python _sg_mkldnn_selfatt_qk-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.49 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sg_mkldnn_selfatt_qk",
    category="subgraph",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_sg_mkldnn_selfatt_qk/53a2e1f8", profile="finding", training=False)
def both():
    return dict(
        queries_keys_values=tensor((82, 1, 90), "float32", uniform(-1.0, 1.0)),
        graph=graph("queries_keys_values", nodes=[node("scores", "_contrib_interleaved_matmul_selfatt_qk", "queries_keys_values", heads=6)], outputs=["scores"]),
        heads=6,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.49, threads=1, sides=sides))
