"""sum, backward, on MXNet 1.9.1: 2.14 times as slow as a neighbour that does equal work.

slow       180 us a call, where 83.3 us were expected
fast       83.3 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.14 times, 95% interval 2.00 to 2.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 11.1 times
neighbour  2.14 times: float32: as many elements, 2 times the bytes
roofline   11.1 times: this machine can move and compute as much in that time
kin        2.02 times: _np_sum of the same input

Measure it again: python sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="sum",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("sum/1d2ce32d", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("sum/c3bbd08f", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
