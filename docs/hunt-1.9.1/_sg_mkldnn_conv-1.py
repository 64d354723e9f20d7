"""_sg_mkldnn_conv, forward, on MXNet 1.9.1: 1.91 times as slow as a neighbour that does equal work.

slow       111 us a call, where 58.6 us were expected
fast       58.6 us a call
step       float32: as many elements, 4 times the bytes
ratio      1.91 times, 95% interval 1.80 to 2.01, with 1 thread
family     int8, and 144 elements or more
neighbour  1.91 times: float32: as many elements, 4 times the bytes
roofline   7.17 times: this machine can move and compute as much in that time

Measure it again: python _sg_mkldnn_conv-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, integers, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_sg_mkldnn_conv",
    category="subgraph",
    mxnet="1.9.1",
    seed=0,
)


@case("_sg_mkldnn_conv/15ddeeec", profile="finding", training=False)
def slow():
    return dict(
        data=tensor((1, 1, 1, 8), "int8", integers(0, 10)),
        weight=tensor((16, 1, 3, 3), "int8", integers(0, 10)),
        graph=graph("data", "weight", nodes=[node("convolved", "Convolution", "data", "weight", kernel=(3, 3), pad=(1, 1), num_filter=16, no_bias=True, layout="NCHW"), node("bent", "Activation", "convolved", act_type="relu")], outputs=["bent"]),
    )


@case("_sg_mkldnn_conv/109e8d47", profile="contrast", training=False)
def fast():
    return dict(
        data=tensor((1, 1, 1, 8), "float32", uniform(-1.0, 1.0)),
        weight=tensor((16, 1, 3, 3), "float32", uniform(-1.0, 1.0)),
        graph=graph("data", "weight", nodes=[node("convolved", "Convolution", "data", "weight", kernel=(3, 3), pad=(1, 1), num_filter=16, no_bias=True, layout="NCHW"), node("bent", "Activation", "convolved", act_type="relu")], outputs=["bent"]),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.38, threads=1))
