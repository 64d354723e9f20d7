"""topk, forward, on MXNet 1.9.1: 2.92 times as slow as a neighbour that does equal work.

slow       81.6 us a call, where 27.8 us were expected
fast       27.8 us a call
step       data.shape[0] of 1 and data.shape[1] of 8,192
ratio      2.92 times, 95% interval 2.72 to 3.28, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.92 times: data.shape[0] of 1 and data.shape[1] of 8,192
roofline   3.94 times: this machine can move and compute as much in that time

Measure it again: python topk-4.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("topk/b4dfef4e", profile="finding")
def slow():
    return dict(
        data=tensor((256, 32), "float32", uniform(-1.0, 1.0)),
        k=5,
        ret_typ="mask",
    )


@case("topk/bdfd2829", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 8192), "float32", uniform(-1.0, 1.0)),
        k=5,
        ret_typ="mask",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.71, threads=1))
