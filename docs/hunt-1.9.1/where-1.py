"""where, forward, on MXNet 1.9.1: 4.65 times as slow as a neighbour that does equal work.

slow       356 us a call, where 73.9 us were expected
fast       55.4 us a call
step       elemwise_add: an addition reads the same two operands, which `where` chooses from, and writes as
           much
ratio      4.65 times, 95% interval 4.39 to 5.03, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       backward, 6.35 times
neighbour  4.65 times: elemwise_add: an addition reads the same two operands, which `where` chooses from, and
           writes as much
roofline   13.2 times: this machine can move and compute as much in that time
kin        3.38 times: elemwise_add of the same input

Measure it again: python where-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="where",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("where/f8557b5b", profile="finding")
def slow():
    return dict(
        condition=tensor((256, 256), "float32", mask(0.5)),
        x=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        y=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
    )


@case("elemwise_add/68e0a457", profile="contrast", operator="elemwise_add")
def fast():
    return dict(
        lhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((256, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.88, threads=1))
