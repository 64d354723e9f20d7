"""argmax, forward, on MXNet 1.9.1: 4.89 times as slow as a neighbour that does equal work.

slow       78.2 us a call, where 16.0 us were expected
fast       16.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.89 times, 95% interval 4.74 to 4.97, with 1 thread
family     float16
neighbour  4.89 times: float32: as many elements, 2 times the bytes
model      3.11 times: half of 127 other inputs lie within a factor of 1.10 of it
roofline   6.78 times: this machine can move and compute as much in that time
kin        2.73 times: topk(k=1) of the same input

Measure it again: python argmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.21 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("argmax/b6f996ef", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(-1.0, 1.0)),
    )


@case("argmax/05e1845f", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.21, threads=1))
