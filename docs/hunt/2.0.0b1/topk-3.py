"""topk, backward, on MXNet 2.0.0b1: 2.87 times as slow as a neighbour that does equal work.

slow       138 us a call, where 49.0 us were expected
fast       49.0 us a call
step       ret_typ=mask
ratio      2.87 times, 95% interval 2.76 to 3.00, with 1 thread
family     ret_typ=both, and 52 elements or more
neighbour  2.87 times: ret_typ=mask
model      2.21 times: half of 33 other inputs lie within a factor of 1.51 of it
roofline   9.04 times: this machine can move and compute as much in that time
forward    1.46 times: the forward pass of the same input

Measure it again: python topk-3.py
It times both interleaved, and exits with 1 if slow takes more than 1.69 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="2.0.0b1",
    seed=5,
)


@case("topk/2840e57d", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
        ret_typ="both",
    )


@case("topk/e1c31956", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
        ret_typ="mask",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.69, threads=1))
