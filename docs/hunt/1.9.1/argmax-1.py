"""argmax, forward, on MXNet 1.9.1: 7.04 times as slow as a neighbour that does equal work.

slow       143 us a call, where 19.8 us were expected
fast       19.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.04 times, 95% interval 6.27 to 7.25, with 1 thread
family     float16
neighbour  7.04 times: float32: as many elements, 2 times the bytes
model      5.03 times: half of 96 other inputs lie within a factor of 1.15 of it
roofline   7.19 times: this machine can move and compute as much in that time
kin        3.23 times: topk(k=1) of the same input

Measure it again: python argmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.65 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("argmax/d08bea3a", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("argmax/9d40fccf", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.65, threads=1))
