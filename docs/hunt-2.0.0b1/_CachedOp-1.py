"""_CachedOp, forward, on MXNet 2.0.0b1: 1.97 times as slow as a neighbour that does equal work.

slow       222 us a call, where 114 us were expected
fast       114 us a call
step       float64: as many elements, 4 times the bytes
ratio      1.97 times, 95% interval 1.89 to 2.07, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 1.93 times
neighbour  1.97 times: float64: as many elements, 4 times the bytes
roofline   18.3 times: this machine can move and compute as much in that time

Measure it again: python _CachedOp-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_CachedOp",
    category="subgraph",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_CachedOp/1ce17870", profile="finding", way="compiled")
def slow():
    return dict(
        data=[tensor((2048,), "float16", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-1.0, 1.0))],
        graph=graph("x", "y", nodes=[node("product", "elemwise_mul", "x", "y"), node("bent", "tanh", "product"), node("total", "elemwise_add", "bent", "y"), node("result", "sigmoid", "total")], outputs=["result"]),
    )


@case("_CachedOp/6cc68b99", profile="contrast", way="compiled")
def fast():
    return dict(
        data=[tensor((2048,), "float64", uniform(-1.0, 1.0)), tensor((2048,), "float64", uniform(-1.0, 1.0))],
        graph=graph("x", "y", nodes=[node("product", "elemwise_mul", "x", "y"), node("bent", "tanh", "product"), node("total", "elemwise_add", "bent", "y"), node("result", "sigmoid", "total")], outputs=["result"]),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.4, threads=1))
