"""topk, backward, on MXNet 2.0.0b1: 2.70 times as slow as a neighbour that does equal work.

slow       233 us a call, where 86.8 us were expected
fast       86.8 us a call
step       ret_typ=mask
ratio      2.70 times, 95% interval 2.61 to 2.81, with 1 thread
family     ret_typ=value
also       forward, 5.26 times
neighbour  2.70 times: ret_typ=mask
model      4.42 times: half of 33 other inputs lie within a factor of 1.50 of it
roofline   18.6 times: this machine can move and compute as much in that time

Measure it again: python topk-1.py
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


@case("topk/e5c811bd", profile="finding")
def slow():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
        axis=0,
        ret_typ="value",
    )


@case("topk/8dc175b5", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 4096), "float32", uniform(-1.0, 1.0)),
        axis=0,
        ret_typ="mask",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.64, threads=1))
