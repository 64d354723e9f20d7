"""_sg_onednn_conv, forward, on MXNet 2.0.0b1: 2.25 times as slow as a neighbour that does equal work.

slow       295 us a call, where 134 us were expected
fast       134 us a call
step       float32: as many elements, 4 times the bytes
ratio      2.25 times, 95% interval 2.11 to 2.41, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.25 times: float32: as many elements, 4 times the bytes
roofline   23.9 times: this machine can move and compute as much in that time

Measure it again: python _sg_onednn_conv-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, integers, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sg_onednn_conv",
    category="subgraph",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_sg_onednn_conv/38c58c4f", profile="finding", training=False)
def slow():
    return dict(
        data=tensor((1, 16, 1, 32), "int8", integers(0, 10)),
        weight=tensor((16, 16, 3, 3), "int8", integers(0, 10)),
        other=tensor((1, 16, 1, 32), "int8", integers(0, 10)),
        graph=graph("data", "weight", "other", nodes=[node("convolved", "Convolution", "data", "weight", kernel=(3, 3), pad=(1, 1), num_filter=16, no_bias=True, layout="NCHW"), node("summed", "elemwise_add", "convolved", "other"), node("bent", "Activation", "summed", act_type="relu")], outputs=["bent"]),
        with_postsum_act=True,
        with_sum=True,
    )


@case("_sg_onednn_conv/687d8ed8", profile="contrast", training=False)
def fast():
    return dict(
        data=tensor((1, 16, 1, 32), "float32", uniform(-1.0, 1.0)),
        weight=tensor((16, 16, 3, 3), "float32", uniform(-1.0, 1.0)),
        other=tensor((1, 16, 1, 32), "float32", uniform(-1.0, 1.0)),
        graph=graph("data", "weight", "other", nodes=[node("convolved", "Convolution", "data", "weight", kernel=(3, 3), pad=(1, 1), num_filter=16, no_bias=True, layout="NCHW"), node("summed", "elemwise_add", "convolved", "other"), node("bent", "Activation", "summed", act_type="relu")], outputs=["bent"]),
        with_postsum_act=True,
        with_sum=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.5, threads=1))
