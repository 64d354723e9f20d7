"""_np_prod, forward, on MXNet 1.9.1: 1.96 times as slow as a neighbour that does equal work.

slow       187 us a call, where 95.2 us were expected
fast       95.2 us a call
step       int64: as many elements, 4 times the bytes
ratio      1.96 times, 95% interval 1.87 to 2.05, with 1 thread
family     float16
neighbour  1.96 times: int64: as many elements, 4 times the bytes
roofline   11.8 times: this machine can move and compute as much in that time

Measure it again: python _np_prod-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_prod",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_prod/20f1f2d3", profile="finding")
def slow():
    return dict(
        a=tensor((16384,), "float16", uniform(0.999, 1.001)),
    )


@case("_np_prod/5b694f1c", profile="contrast")
def fast():
    return dict(
        a=tensor((16384,), "int64", uniform(0.999, 1.001)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.4, threads=1))
