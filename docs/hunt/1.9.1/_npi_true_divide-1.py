"""_npi_true_divide, forward, on MXNet 1.9.1: 6.32 times as slow as a neighbour that does equal work.

slow       14,013 us a call, where 2,228 us were expected
fast       2,228 us a call
step       float32
ratio      6.32 times, 95% interval 6.26 to 6.38, with 1 thread
family     dtype is float16
neighbour  6.29 times: float32 takes 16% of the time
model      5.02 times: half of 40 other inputs lie within a factor of 1.12 of it
roofline   81.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_true_divide-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.51 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_true_divide",
    category="broadcast",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_true_divide/7fdb49d6", profile="finding")
def slow():
    return dict(
        lhs=tensor((1024, 1024), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((1024, 1), "float16", uniform(0.1, 2.0)),
    )


@case("_npi_true_divide/2e68e124", profile="contrast")
def fast():
    return dict(
        lhs=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((1024, 1), "float32", uniform(0.1, 2.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.51, threads=1))
