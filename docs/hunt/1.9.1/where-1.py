"""where, forward, on MXNet 1.9.1: 6.30 times as slow as a neighbour that does equal work.

slow       536 us a call, where 82.2 us were expected
fast       61.7 us a call
step       elemwise_add: an addition reads the same two operands, which `where` chooses from, and writes as
           much
ratio      6.30 times, 95% interval 5.99 to 6.50, with 1 thread
family     this input; no family of it holds on fresh draws
also       backward, 9.75 times
neighbour  6.30 times: elemwise_add: an addition reads the same two operands, which `where` chooses from, and
           writes as much
model      1.58 times: half of 89 other inputs lie within a factor of 1.27 of it
roofline   12.9 times: this machine can move and compute as much in that time
kin        5.87 times: elemwise_add of the same input

Measure it again: python where-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="where",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("where/939e86b2", profile="finding")
def slow():
    return dict(
        condition=tensor((10000, 10), "float32", mask(0.5)),
        x=tensor((10000, 10), "float32", uniform(-1.0, 1.0)),
        y=tensor((10000, 10), "float32", uniform(-1.0, 1.0)),
    )


@case("elemwise_add/8acfaa3c", profile="contrast", operator="elemwise_add")
def fast():
    return dict(
        lhs=tensor((10000, 10), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((10000, 10), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.35, threads=1))
