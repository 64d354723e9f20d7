"""softmin, forward, on MXNet 1.9.1: 7.56 times as slow as a neighbour that does equal work.

slow       191 us a call, where 26.1 us were expected
fast       26.1 us a call
step       softmax: it is softmax of the negated input
ratio      7.56 times, 95% interval 7.34 to 7.95, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  7.56 times: softmax: it is softmax of the negated input
roofline   11.3 times: this machine can move and compute as much in that time
kin        7.65 times: softmax of the same input

Measure it again: python softmin-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmin",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("softmin/464cf01e", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


@case("softmax/39e155bb", profile="contrast", operator="softmax")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.75, threads=1))
