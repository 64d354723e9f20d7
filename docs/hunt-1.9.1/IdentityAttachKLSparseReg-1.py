"""IdentityAttachKLSparseReg, backward, on MXNet 1.9.1: 1.96 times as slow as a neighbour that does equal work.

slow       603 us a call, where 316 us were expected
fast       316 us a call
step       axes 0 and 1 exchanged
ratio      1.96 times, 95% interval 1.89 to 2.02, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.96 times: axes 0 and 1 exchanged
roofline   24.9 times: this machine can move and compute as much in that time
forward    7.59 times: the forward pass of the same input

Measure it again: python IdentityAttachKLSparseReg-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="IdentityAttachKLSparseReg",
    category="loss",
    mxnet="1.9.1",
    seed=0,
)


@case("IdentityAttachKLSparseReg/b38fc74d", profile="finding")
def slow():
    return dict(
        data=tensor((10000, 10), "float32", uniform(0.05, 0.95)),
        moving_avg=tensor((10,), "float32", uniform(0.05, 0.95)),
    )


@case("IdentityAttachKLSparseReg/1984db4b", profile="contrast")
def fast():
    return dict(
        data=tensor((10, 10000), "float32", uniform(0.05, 0.95)),
        moving_avg=tensor((10000,), "float32", uniform(0.05, 0.95)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.4, threads=1))
