"""broadcast_like, backward, on MXNet 1.9.1: 2.34 times as slow as a neighbour that does equal work.

slow       143 us a call, where 62.5 us were expected
fast       62.5 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.34 times, 95% interval 2.29 to 2.42, with 1 thread
family     float16
neighbour  2.34 times: float64: as many elements, 4 times the bytes
roofline   9.24 times: this machine can move and compute as much in that time
forward    4.59 times: the forward pass of the same input

Measure it again: python broadcast_like-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.53 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="broadcast_like",
    category="expanding",
    mxnet="1.9.1",
    seed=0,
)


@case("broadcast_like/3e29f7f8", profile="finding")
def slow():
    return dict(
        lhs=tensor((1,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1024,), "float16", uniform(-1.0, 1.0)),
    )


@case("broadcast_like/e99090b1", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1,), "float64", uniform(-1.0, 1.0)),
        rhs=tensor((1024,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.53, threads=1))
