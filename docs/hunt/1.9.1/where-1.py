"""where, backward, on MXNet 1.9.1: 1.97 times as slow as a neighbour that does equal work.

slow       205 us a call, where 102 us were expected
fast       76.8 us a call
step       elemwise_add: an addition reads the same two operands, which `where` chooses from, and writes as
           much
ratio      1.97 times, 95% interval 1.85 to 2.11, with 1 thread
family     8,128 elements or more
also       forward, 3.03 times
neighbour  1.97 times: elemwise_add: an addition reads the same two operands, which `where` chooses from, and
           writes as much
model      2.19 times: half of 50 other inputs lie within a factor of 1.22 of it
roofline   16.7 times: this machine can move and compute as much in that time
forward    3.07 times: the forward pass of the same input
kin        2.69 times: elemwise_add of the same input

Measure it again: python where-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="where",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("where/f6729951", profile="finding")
def slow():
    return dict(
        condition=tensor((8128,), "float16", mask(0.5)),
        x=tensor((8128,), "float16", uniform(-1.0, 1.0)),
        y=tensor((8128,), "float16", uniform(-1.0, 1.0)),
    )


@case("elemwise_add/1896b7a0", profile="contrast", operator="elemwise_add")
def fast():
    return dict(
        lhs=tensor((8128,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((8128,), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.87, threads=1))
