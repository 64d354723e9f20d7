"""softmax, forward, on MXNet 1.9.1: 7.55 times as slow as a neighbour that does equal work.

slow       436 us a call, where 57.1 us were expected
fast       57.1 us a call
step       axis=1
ratio      7.55 times, 95% interval 7.22 to 8.00, with 1 thread
family     axis is not the last and dtype is float32
neighbour  7.64 times: axis=1 takes 13% of the time
roofline   19.8 times: this machine can move and compute as much in that time

Measure it again: python softmax-4.py
It times both interleaved, and exits with 1 if slow takes more than 2.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=1,
)


@case("softmax/209f35a5", profile="finding")
def slow():
    return dict(
        data=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        axis=0,
    )


@case("softmax/db6b9488", profile="contrast")
def fast():
    return dict(
        data=tensor((64, 256), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.75, threads=1))
