"""argmax, forward, on MXNet 1.9.1: 2.19 times as slow as a neighbour that does equal work.

slow       10,419 us a call, where 4,559 us were expected
fast       4,274 us a call
step       data.shape[1] of 15
ratio      2.19 times, 95% interval 2.00 to 2.39, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.19 times: data.shape[1] of 15
model      2.66 times: half of 146 other inputs lie within a factor of 1.07 of it
roofline   7.03 times: this machine can move and compute as much in that time

Measure it again: python argmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("argmax/e6e9bc4b", profile="finding")
def slow():
    return dict(
        data=tensor((131072, 16), "int64", integers(0, 10)),
        axis=0,
    )


@case("argmax/94512c5e", profile="contrast")
def fast():
    return dict(
        data=tensor((131072, 15), "int64", integers(0, 10)),
        axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.58, threads=1))
