"""_contrib_getnnz, forward, on MXNet 2.0.0b1: 4.90 times as slow as a neighbour that does equal work.

slow       331 us a call, where 66.1 us were expected
fast       66.1 us a call
step       int32: as many elements, as many bytes
ratio      4.90 times, 95% interval 4.56 to 5.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.90 times: int32: as many elements, as many bytes
model      10.7 times: half of 31 other inputs lie within a factor of 1.17 of it
roofline   3.91 times: this machine can move and compute as much in that time

Measure it again: python _contrib_getnnz-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.21 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_getnnz",
    category="sparse",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_getnnz/cb8c4b07", profile="finding")
def slow():
    return dict(
        data=tensor((262144, 1), "float32", uniform(0.1, 1.0), storage="csr", density=0.5),
        axis=1,
    )


@case("_contrib_getnnz/543bfd6f", profile="contrast")
def fast():
    return dict(
        data=tensor((262144, 1), "int32", uniform(0.1, 1.0), storage="csr", density=0.5),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.21, threads=1))
