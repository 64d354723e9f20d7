"""topk, backward, on MXNet 1.9.1: 2.20 times as slow as a neighbour that does equal work.

slow       282 us a call, where 121 us were expected
fast       60.7 us a call
step       ret_typ=mask
ratio      2.20 times, 95% interval 2.05 to 2.36, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.20 times: ret_typ=mask
model      5.38 times: half of 33 other inputs lie within a factor of 1.17 of it
roofline   11.7 times: this machine can move and compute as much in that time

Measure it again: python topk-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.97 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("topk/1aba9fc8", profile="finding")
def slow():
    return dict(
        data=tensor((13, 2048, 1), "float32", uniform(-1.0, 1.0)),
        axis=-1,
        dtype="float32",
        is_ascend=False,
        k=1,
        ret_typ="both",
    )


@case("topk/ba62202c", profile="contrast")
def fast():
    return dict(
        data=tensor((13, 2048, 1), "float32", uniform(-1.0, 1.0)),
        axis=-1,
        dtype="float32",
        is_ascend=False,
        k=1,
        ret_typ="mask",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.97, threads=1))
