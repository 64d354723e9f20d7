"""_ravel_multi_index, forward, on MXNet 1.9.1: 10.4 times as slow as a neighbour that does equal work.

slow       237 us a call, where 22.3 us were expected
fast       22.3 us a call
step       int64: as many elements, 4 times the bytes
ratio      10.4 times, 95% interval 9.76 to 11.0, with 1 thread
family     float16
neighbour  10.4 times: int64: as many elements, 4 times the bytes
roofline   15.1 times: this machine can move and compute as much in that time

Measure it again: python _ravel_multi_index-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_ravel_multi_index",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_ravel_multi_index/f1918657", profile="finding")
def slow():
    return dict(
        data=tensor((5, 2048), "float16", integers(0, 10)),
        shape=(1, 1, 1, 1, 1),
    )


@case("_ravel_multi_index/5a6ab885", profile="contrast")
def fast():
    return dict(
        data=tensor((5, 2048), "int64", integers(0, 10)),
        shape=(1, 1, 1, 1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.22, threads=1))
