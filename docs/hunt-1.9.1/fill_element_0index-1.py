"""fill_element_0index, forward, on MXNet 1.9.1: 2.07 times as slow as a neighbour that does equal work.

slow       194 us a call, where 91.9 us were expected
fast       45.9 us a call
step       lhs.shape[1] of 1
ratio      2.07 times, 95% interval 2.02 to 2.13, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.07 times: lhs.shape[1] of 1
model      2.37 times: half of 20 other inputs lie within a factor of 1.07 of it
roofline   9.32 times: this machine can move and compute as much in that time

Measure it again: python fill_element_0index-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="fill_element_0index",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("fill_element_0index/6c549257", profile="finding", in_place=("lhs",))
def slow():
    return dict(
        lhs=tensor((30848, 2), "float32", uniform(-1.0, 1.0)),
        mhs=tensor((30848,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((30848,), "float32", integers(0, 2)),
    )


@case("fill_element_0index/e0d70f9b", profile="contrast", in_place=("lhs",))
def fast():
    return dict(
        lhs=tensor((30848, 1), "float32", uniform(-1.0, 1.0)),
        mhs=tensor((30848,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((30848,), "float32", integers(0, 1)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.88, threads=1))
