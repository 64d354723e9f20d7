"""_sample_categorical, backward, on MXNet 2.0.0b1: 3.29 times as slow as a neighbour that does equal work.

slow       394 us a call, where 123 us were expected
fast       81.8 us a call
step       no get_prob
ratio      3.29 times, 95% interval 2.97 to 3.51, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.29 times: no get_prob
roofline   25.8 times: this machine can move and compute as much in that time

Measure it again: python _sample_categorical-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, probabilities, tensor

SUITE = Suite(
    format=1,
    operator="_sample_categorical",
    category="random",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_sample_categorical/451f9900", profile="finding")
def slow():
    return dict(
        data=tensor((10000, 10), "float16", probabilities()),
        get_prob=True,
    )


@case("_sample_categorical/22a55a6e", profile="contrast")
def fast():
    return dict(
        data=tensor((10000, 10), "float16", probabilities()),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.72, threads=1))
