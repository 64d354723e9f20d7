"""_CachedOpThreadSafe, forward, on MXNet 2.0.0b1: 2.23 times as slow as a neighbour that does equal work.

slow       227 us a call, where 97.6 us were expected
fast       97.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.23 times, 95% interval 2.09 to 2.41, with 1 thread
family     float16
neighbour  2.23 times: int64: as many elements, 4 times the bytes
roofline   18.7 times: this machine can move and compute as much in that time

Measure it again: python _CachedOpThreadSafe-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, integers, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_CachedOpThreadSafe",
    category="subgraph",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_CachedOpThreadSafe/ac21c4a6", profile="finding", training=False, way="thread_safe")
def slow():
    return dict(
        data=[tensor((2048,), "float16", uniform(-1.0, 1.0)), tensor((2048,), "float16", uniform(-1.0, 1.0))],
        graph=graph("x", "y", nodes=[node("product", "elemwise_mul", "x", "y"), node("bent", "tanh", "product"), node("total", "elemwise_add", "bent", "y"), node("result", "sigmoid", "total")], outputs=["result"]),
    )


@case("_CachedOpThreadSafe/5d0226d7", profile="contrast", training=False, way="thread_safe")
def fast():
    return dict(
        data=[tensor((2048,), "int64", integers(0, 10)), tensor((2048,), "int64", integers(0, 10))],
        graph=graph("x", "y", nodes=[node("product", "elemwise_mul", "x", "y"), node("bent", "tanh", "product"), node("total", "elemwise_add", "bent", "y"), node("result", "sigmoid", "total")], outputs=["result"]),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.49, threads=1))
