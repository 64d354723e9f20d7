"""gather_nd, backward, on MXNet 1.9.1: 2.60 times as slow as a neighbour that does equal work.

slow       983 us a call, where 374 us were expected
fast       374 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.60 times, 95% interval 2.56 to 2.68, with 1 thread
family     float16, and the last dimension of indices is 34 or more, and the first dimension of indices is 1
           or 2
neighbour  2.60 times: float32: as many elements, 2 times the bytes
roofline   48.6 times: this machine can move and compute as much in that time
forward    6.45 times: the forward pass of the same input

Measure it again: python gather_nd-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.61 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="gather_nd",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("gather_nd/e57e7f89", profile="finding")
def slow():
    return dict(
        data=tensor((10000, 10), "float16", uniform(-1.0, 1.0)),
        indices=tensor((1, 10000), "int32", integers(0, 10000)),
    )


@case("gather_nd/cde7c08c", profile="contrast")
def fast():
    return dict(
        data=tensor((10000, 10), "float32", uniform(-1.0, 1.0)),
        indices=tensor((1, 10000), "int32", integers(0, 10000)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.61, threads=1))
