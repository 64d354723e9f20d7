"""_contrib_hawkesll, forward, on MXNet 1.9.1: 4.02 times as slow as a neighbour that does equal work.

slow       127 us a call, where 31.9 us were expected
fast       31.9 us a call
step       float64: as many elements, as many bytes
ratio      4.02 times, 95% interval 3.92 to 4.17, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.02 times: float64: as many elements, as many bytes
roofline   7.69 times: this machine can move and compute as much in that time

Measure it again: python _contrib_hawkesll-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.0 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_hawkesll",
    category="misc",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_hawkesll/2967b2a9", profile="finding")
def slow():
    return dict(
        lda=tensor((1, 1), "int64", uniform(0.5, 3.0)),
        alpha=tensor((1,), "int64", uniform(0.1, 0.5)),
        beta=tensor((1,), "int64", uniform(0.5, 2.0)),
        state=tensor((1, 1), "int64", constant(0.0)),
        lags=tensor((1, 8192), "int64", uniform(0.1, 1.0)),
        marks=tensor((1, 8192), "int32", integers(0, 1)),
        valid_length=tensor((1,), "int64", integers(1, 8193)),
        max_time=tensor((1,), "int64", constant(10000.0)),
    )


@case("_contrib_hawkesll/559f26b2", profile="contrast")
def fast():
    return dict(
        lda=tensor((1, 1), "float64", uniform(0.5, 3.0)),
        alpha=tensor((1,), "float64", uniform(0.1, 0.5)),
        beta=tensor((1,), "float64", uniform(0.5, 2.0)),
        state=tensor((1, 1), "float64", constant(0.0)),
        lags=tensor((1, 8192), "float64", uniform(0.1, 1.0)),
        marks=tensor((1, 8192), "int32", integers(0, 1)),
        valid_length=tensor((1,), "float64", integers(1, 8193)),
        max_time=tensor((1,), "float64", constant(10000.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.0, threads=1))
