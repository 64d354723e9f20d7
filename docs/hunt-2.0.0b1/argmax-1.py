"""argmax, forward, on MXNet 2.0.0b1: 5.54 times as slow as a neighbour that does equal work.

slow       116 us a call, where 21.2 us were expected
fast       21.2 us a call
step       int64: as many elements, 4 times the bytes
ratio      5.54 times, 95% interval 5.40 to 5.73, with 1 thread
family     float16
neighbour  5.54 times: int64: as many elements, 4 times the bytes
roofline   9.58 times: this machine can move and compute as much in that time
kin        2.70 times: topk(k=1) of the same input

Measure it again: python argmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="2.0.0b1",
    seed=0,
)


@case("argmax/d08bea3a", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("argmax/032f719c", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
