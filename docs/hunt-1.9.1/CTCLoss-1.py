"""CTCLoss, forward, on MXNet 1.9.1: 15.7 times as slow as a neighbour that does equal work.

slow       1,408 us a call, where 91.0 us were expected
fast       91.0 us a call
step       data.shape[0] of 25 and data.shape[2] of 200
ratio      15.7 times, 95% interval 15.1 to 16.2, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  15.7 times: data.shape[0] of 25 and data.shape[2] of 200
roofline   89.9 times: this machine can move and compute as much in that time

Measure it again: python CTCLoss-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="CTCLoss",
    category="loss",
    mxnet="1.9.1",
    seed=0,
)


@case("CTCLoss/226188dc", profile="finding")
def slow():
    return dict(
        data=tensor((500, 1, 10), "float32", uniform(-1.0, 1.0)),
        label=tensor((1, 20), "float32", integers(1, 10)),
    )


@case("CTCLoss/2e9425f9", profile="contrast")
def fast():
    return dict(
        data=tensor((25, 1, 200), "float32", uniform(-1.0, 1.0)),
        label=tensor((1, 20), "float32", integers(1, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.96, threads=1))
