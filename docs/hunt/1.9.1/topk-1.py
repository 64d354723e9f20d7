"""topk, forward, on MXNet 1.9.1: 3.85 times as slow as a neighbour that does equal work.

slow       167 us a call, where 45.1 us were expected
fast       45.1 us a call
step       axis=1
ratio      3.85 times, 95% interval 3.53 to 4.29, with 1 thread
family     axis is not the last
neighbour  3.85 times: axis=1
model      2.14 times: half of 68 other inputs lie within a factor of 1.55 of it
roofline   13.6 times: this machine can move and compute as much in that time

Measure it again: python topk-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("topk/f8f089bb", profile="finding")
def slow():
    return dict(
        data=tensor((32, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
        k=5,
        ret_typ="mask",
    )


@case("topk/2c0913c8", profile="contrast")
def fast():
    return dict(
        data=tensor((32, 256), "float32", uniform(-1.0, 1.0)),
        axis=1,
        k=5,
        ret_typ="mask",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
