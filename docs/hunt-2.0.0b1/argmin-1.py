"""argmin, forward, on MXNet 2.0.0b1: 5.21 times as slow as a neighbour that does equal work.

slow       117 us a call, where 22.7 us were expected
fast       22.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.21 times, 95% interval 4.99 to 5.42, with 1 thread
family     float16
neighbour  5.21 times: float32: as many elements, 2 times the bytes
roofline   9.67 times: this machine can move and compute as much in that time
kin        2.59 times: topk(k=1, is_ascend=True) of the same input

Measure it again: python argmin-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.28 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmin",
    category="sorting",
    mxnet="2.0.0b1",
    seed=0,
)


@case("argmin/2834de1e", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("argmin/086a2546", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.28, threads=1))
