"""where, forward, on MXNet 2.0.0b1: 2.15 times as slow as a neighbour that does equal work.

slow       155 us a call, where 72.2 us were expected
fast       54.1 us a call
step       elemwise_add: an addition reads the same two operands, which `where` chooses from, and writes as
           much
ratio      2.15 times, 95% interval 2.02 to 2.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 3.10 times
neighbour  2.15 times: elemwise_add: an addition reads the same two operands, which `where` chooses from, and
           writes as much
roofline   8.71 times: this machine can move and compute as much in that time
kin        3.78 times: elemwise_add of the same input

Measure it again: python where-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.95 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="where",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("where/30012d95", profile="finding")
def slow():
    return dict(
        condition=tensor((28702,), "float32", mask(0.5)),
        x=tensor((28702,), "float32", uniform(-1.0, 1.0)),
        y=tensor((28702,), "float32", uniform(-1.0, 1.0)),
    )


@case("elemwise_add/e94d3d60", profile="contrast", operator="elemwise_add")
def fast():
    return dict(
        lhs=tensor((28702,), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((28702,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.95, threads=1))
