"""_CachedOp, forward, on MXNet 1.9.1: 2.00 times as slow as a neighbour that does equal work.

slow       156 us a call, where 76.1 us were expected
fast       76.1 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.00 times, 95% interval 1.93 to 2.08, with 1 thread
family     float16
neighbour  2.00 times: int64: as many elements, 4 times the bytes
roofline   10.1 times: this machine can move and compute as much in that time

Measure it again: python _CachedOp-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, integers, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_CachedOp",
    category="subgraph",
    mxnet="1.9.1",
    seed=0,
)


@case("_CachedOp/e81f6558", profile="finding", way="compiled")
def slow():
    return dict(
        data=[tensor((1024,), "float16", uniform(-1.0, 1.0)), tensor((1024,), "float16", uniform(-1.0, 1.0))],
        graph=graph("x", "y", nodes=[node("product", "elemwise_mul", "x", "y"), node("bent", "tanh", "product"), node("total", "elemwise_add", "bent", "y"), node("result", "sigmoid", "total")], outputs=["result"]),
    )


@case("_CachedOp/ce5f5bf7", profile="contrast", way="compiled")
def fast():
    return dict(
        data=[tensor((1024,), "int64", integers(0, 10)), tensor((1024,), "int64", integers(0, 10))],
        graph=graph("x", "y", nodes=[node("product", "elemwise_mul", "x", "y"), node("bent", "tanh", "product"), node("total", "elemwise_add", "bent", "y"), node("result", "sigmoid", "total")], outputs=["result"]),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.42, threads=1))
