"""softmin, forward, on MXNet 2.0.0b1: 4.47 times as slow as a neighbour that does equal work.

slow       202 us a call, where 49.8 us were expected
fast       49.8 us a call
step       softmax: it is softmax of the negated input
ratio      4.47 times, 95% interval 4.13 to 4.82, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.47 times: softmax: it is softmax of the negated input
roofline   14.8 times: this machine can move and compute as much in that time
kin        4.70 times: softmax of the same input

Measure it again: python softmin-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.11 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmin",
    category="activation",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.11, threads=1))
