"""_linspace, forward, on MXNet 2.0.0b1: 2.32 times as slow as a neighbour that does equal work.

slow       80.7 us a call, where 35.3 us were expected
fast       35.3 us a call
step       dtype=float64
ratio      2.32 times, 95% interval 2.26 to 2.45, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.32 times: dtype=float64
roofline   6.29 times: this machine can move and compute as much in that time

Measure it again: python _linspace-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_linspace",
    category="creation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linspace/b68def2f", profile="finding")
def slow():
    return dict(
        dtype="float16",
        num=32766,
        start=0.0,
        stop=1.0,
    )


@case("_linspace/65a110c7", profile="contrast")
def fast():
    return dict(
        dtype="float64",
        num=32766,
        start=0.0,
        stop=1.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.52, threads=1))
