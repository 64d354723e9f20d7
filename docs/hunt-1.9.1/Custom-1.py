"""Custom, forward, on MXNet 1.9.1: 2.47 times as slow as a neighbour that does equal work.

slow       434 us a call, where 181 us were expected
fast       181 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.47 times, 95% interval 2.30 to 2.62, with 1 thread
family     float16, and 16,384 elements or more
neighbour  2.47 times: int32: as many elements, 2 times the bytes
roofline   26.9 times: this machine can move and compute as much in that time

Measure it again: python Custom-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Custom",
    category="subgraph",
    mxnet="1.9.1",
    seed=0,
)


@case("Custom/65e525b1", profile="finding")
def slow():
    return dict(
        data=[tensor((32768,), "float16", uniform(-1.0, 1.0))],
        op_type="autoperf_add_one",
    )


@case("Custom/7a2c493d", profile="contrast")
def fast():
    return dict(
        data=[tensor((32768,), "int32", integers(0, 10))],
        op_type="autoperf_add_one",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.57, threads=1))
