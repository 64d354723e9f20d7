"""where, forward, on MXNet 1.9.1: 2.26 times as slow as a neighbour that does equal work.

slow       51.0 us a call, where 22.3 us were expected
fast       22.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.26 times, 95% interval 2.12 to 2.29, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.26 times: int32: as many elements, 2 times the bytes
roofline   2.43 times: this machine can move and compute as much in that time

Measure it again: python where-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="where",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("where/64137678", profile="finding")
def slow():
    return dict(
        condition=tensor((10533,), "float16", mask(0.5)),
        x=tensor((10533,), "float16", uniform(-1.0, 1.0)),
        y=tensor((10533,), "float16", uniform(-1.0, 1.0)),
    )


@case("where/1766336b", profile="contrast")
def fast():
    return dict(
        condition=tensor((10533,), "int32", mask(0.5)),
        x=tensor((10533,), "int32", integers(0, 10)),
        y=tensor((10533,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.5, threads=1))
