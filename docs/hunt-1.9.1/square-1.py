"""square, backward, on MXNet 1.9.1: 2.30 times as slow as a neighbour that does equal work.

slow       175 us a call, where 76.5 us were expected
fast       76.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.30 times, 95% interval 2.16 to 2.42, with 1 thread
family     float16
also       forward, 3.14 times
neighbour  2.30 times: float32: as many elements, 2 times the bytes
roofline   11.2 times: this machine can move and compute as much in that time
forward    3.28 times: the forward pass of the same input
kin        1.65 times: negative of the same input

Measure it again: python square-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="square",
    category="power",
    mxnet="1.9.1",
    seed=0,
)


@case("square/651e7aba", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.1, 2.0)),
    )


@case("square/8a75911a", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.52, threads=1))
