"""_contrib_quantized_flatten, forward, on MXNet 1.9.1: 3.55 times as slow as a neighbour that does equal work.

slow       204 us a call, where 60.4 us were expected
fast       60.4 us a call
step       float16: as many elements, 2 times the bytes
ratio      3.55 times, 95% interval 3.10 to 3.89, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.55 times: float16: as many elements, 2 times the bytes
model      3.24 times: half of 40 other inputs lie within a factor of 1.11 of it
roofline   13.5 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantized_flatten-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.88 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_contrib_quantized_flatten",
    category="quantization",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_quantized_flatten/32371bed", profile="finding")
def slow():
    return dict(
        data=tensor((144931,), "int8", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
    )


@case("_contrib_quantized_flatten/c2db3aba", profile="contrast")
def fast():
    return dict(
        data=tensor((144931,), "float16", integers(-127, 128)),
        min_data=tensor((1,), "float32", constant(-1.0)),
        max_data=tensor((1,), "float32", constant(1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.88, threads=1))
