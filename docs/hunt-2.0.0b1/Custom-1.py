"""Custom, forward, on MXNet 2.0.0b1: 2.49 times as slow as a neighbour that does equal work.

slow       402 us a call, where 172 us were expected
fast       172 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.49 times, 95% interval 2.35 to 2.65, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.49 times: float32: as many elements, 2 times the bytes
roofline   31.3 times: this machine can move and compute as much in that time

Measure it again: python Custom-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.58 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Custom",
    category="subgraph",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Custom/65e525b1", profile="finding")
def slow():
    return dict(
        data=[tensor((32768,), "float16", uniform(-1.0, 1.0))],
        op_type="autoperf_add_one",
    )


@case("Custom/36beea47", profile="contrast")
def fast():
    return dict(
        data=[tensor((32768,), "float32", uniform(-1.0, 1.0))],
        op_type="autoperf_add_one",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.58, threads=1))
