"""topk, forward, on MXNet 2.0.0b1: 2.69 times as slow as a neighbour that does equal work.

slow       103 us a call, where 38.5 us were expected
fast       38.5 us a call
step       data.shape[0] of 16 and data.shape[1] of 512
ratio      2.69 times, 95% interval 2.46 to 3.23, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.69 times: data.shape[0] of 16 and data.shape[1] of 512
roofline   7.49 times: this machine can move and compute as much in that time

Measure it again: python topk-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="2.0.0b1",
    seed=5,
)


@case("topk/062e28fe", profile="finding")
def slow():
    return dict(
        data=tensor((256, 32), "float64", uniform(-1.0, 1.0)),
        k=10,
        ret_typ="mask",
    )


@case("topk/9276ac2c", profile="contrast")
def fast():
    return dict(
        data=tensor((16, 512), "float64", uniform(-1.0, 1.0)),
        k=10,
        ret_typ="mask",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.64, threads=1))
