"""_contrib_hawkesll, forward, on MXNet 2.0.0b1: 4.72 times as slow as a neighbour that does equal work.

slow       102 us a call, where 21.6 us were expected
fast       21.6 us a call
step       lags.shape[1] of 10,001
ratio      4.72 times, 95% interval 4.59 to 4.79, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.72 times: lags.shape[1] of 10,001
roofline   7.54 times: this machine can move and compute as much in that time

Measure it again: python _contrib_hawkesll-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.17 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_hawkesll",
    category="misc",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_hawkesll/6347d7b8", profile="finding")
def slow():
    return dict(
        lda=tensor((1, 1), "int64", uniform(0.5, 3.0)),
        alpha=tensor((1,), "int64", uniform(0.1, 0.5)),
        beta=tensor((1,), "int64", uniform(0.5, 2.0)),
        state=tensor((1, 1), "int64", constant(0.0)),
        lags=tensor((1, 10000), "int64", uniform(0.1, 1.0)),
        marks=tensor((1, 10000), "int32", integers(0, 1)),
        valid_length=tensor((1,), "int64", integers(1, 10001)),
        max_time=tensor((1,), "int64", constant(10000.0)),
    )


@case("_contrib_hawkesll/4a9cb9d0", profile="contrast")
def fast():
    return dict(
        lda=tensor((1, 1), "int64", uniform(0.5, 3.0)),
        alpha=tensor((1,), "int64", uniform(0.1, 0.5)),
        beta=tensor((1,), "int64", uniform(0.5, 2.0)),
        state=tensor((1, 1), "int64", constant(0.0)),
        lags=tensor((1, 10001), "int64", uniform(0.1, 1.0)),
        marks=tensor((1, 10001), "int32", integers(0, 1)),
        valid_length=tensor((1,), "int64", integers(1, 10001)),
        max_time=tensor((1,), "int64", constant(10000.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.17, threads=1))
