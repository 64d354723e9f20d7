"""_CachedOpThreadSafe, forward, on MXNet 1.9.1: 2.69 times as slow as a neighbour that does equal work.

slow       116 us a call, where 43.9 us were expected
fast       43.9 us a call
step       int64: as many elements, 4 times the bytes
ratio      2.69 times, 95% interval 2.58 to 2.83, with 1 thread
family     float16
neighbour  2.69 times: int64: as many elements, 4 times the bytes
roofline   7.50 times: this machine can move and compute as much in that time

Measure it again: python _CachedOpThreadSafe-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, graph, integers, node, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_CachedOpThreadSafe",
    category="subgraph",
    mxnet="1.9.1",
    seed=0,
)


@case("_CachedOpThreadSafe/e76fc754", profile="finding", training=False, way="thread_safe")
def slow():
    return dict(
        data=[tensor((1024,), "float16", uniform(-1.0, 1.0)), tensor((1024,), "float16", uniform(-1.0, 1.0))],
        graph=graph("x", "y", nodes=[node("product", "elemwise_mul", "x", "y"), node("bent", "tanh", "product"), node("total", "elemwise_add", "bent", "y"), node("result", "sigmoid", "total")], outputs=["result"]),
    )


@case("_CachedOpThreadSafe/2e24e3f4", profile="contrast", training=False, way="thread_safe")
def fast():
    return dict(
        data=[tensor((1024,), "int64", integers(0, 10)), tensor((1024,), "int64", integers(0, 10))],
        graph=graph("x", "y", nodes=[node("product", "elemwise_mul", "x", "y"), node("bent", "tanh", "product"), node("total", "elemwise_add", "bent", "y"), node("result", "sigmoid", "total")], outputs=["result"]),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.64, threads=1))
