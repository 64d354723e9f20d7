"""_contrib_quantize_asym, forward, on MXNet 1.9.1: 3.21 times as slow as a neighbour that does equal work.

slow       101 us a call, where 31.5 us were expected
fast       31.5 us a call
step       axes 0 and 2 exchanged
ratio      3.21 times, 95% interval 3.08 to 3.31, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.21 times: axes 0 and 2 exchanged
roofline   6.48 times: this machine can move and compute as much in that time

Measure it again: python _contrib_quantize_asym-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.79 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_quantize_asym",
    category="quantization",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_quantize_asym/4717fe1d", profile="finding")
def slow():
    return dict(
        data=tensor((256, 10, 1), "float32", uniform(-1.0, 1.0)),
    )


@case("_contrib_quantize_asym/3599df28", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 10, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.79, threads=1))
