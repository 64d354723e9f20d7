"""gamma, forward, on MXNet 1.9.1: 2.43 times as slow as a neighbour that does equal work.

slow       132 us a call, where 57.3 us were expected
fast       57.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.43 times, 95% interval 2.26 to 2.69, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.43 times: int32: as many elements, 2 times the bytes
roofline   8.51 times: this machine can move and compute as much in that time

Measure it again: python gamma-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="gamma",
    category="unary",
    mxnet="1.9.1",
    seed=0,
)


@case("gamma/15383113", profile="finding")
def slow():
    return dict(
        data=tensor((2048,), "float16", uniform(0.1, 2.0)),
    )


@case("gamma/266bdb90", profile="contrast")
def fast():
    return dict(
        data=tensor((2048,), "int32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.56, threads=1))
