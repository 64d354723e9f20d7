"""transpose, forward, on MXNet 1.9.1: 3.23 times as slow as a neighbour that does equal work.

slow       169 us a call, where 53.8 us were expected
fast       53.8 us a call
step       axes 0 and 1 exchanged
ratio      3.23 times, 95% interval 3.06 to 3.41, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.23 times: axes 0 and 1 exchanged
roofline   8.44 times: this machine can move and compute as much in that time

Measure it again: python transpose-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.8 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="transpose",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("transpose/8cb9177e", profile="finding")
def slow():
    return dict(
        data=tensor((52, 1024), "float32", uniform(-1.0, 1.0)),
    )


@case("transpose/41076626", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 52), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.8, threads=1))
