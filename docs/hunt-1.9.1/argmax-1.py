"""argmax, forward, on MXNet 1.9.1: 3.92 times as slow as a neighbour that does equal work.

slow       92.0 us a call, where 22.7 us were expected
fast       22.7 us a call
step       int64: as many elements, 4 times the bytes
ratio      3.92 times, 95% interval 3.58 to 4.18, with 1 thread
family     float16
neighbour  3.92 times: int64: as many elements, 4 times the bytes
roofline   5.95 times: this machine can move and compute as much in that time
kin        1.73 times: topk(k=1) of the same input

Measure it again: python argmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.98 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=0,
)


@case("argmax/42b93db2", profile="finding")
def slow():
    return dict(
        data=tensor((157, 10), "float16", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("argmax/fbafe266", profile="contrast")
def fast():
    return dict(
        data=tensor((157, 10), "int64", integers(0, 10)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.98, threads=1))
