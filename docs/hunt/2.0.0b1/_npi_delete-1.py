"""_npi_delete, forward, on MXNet 2.0.0b1: 10.1 times as slow as a neighbour that does equal work.

slow       527 us a call, where 53.5 us were expected
fast       53.5 us a call
step       arr.shape[0] of 1,116
ratio      10.1 times, 95% interval 9.64 to 10.8, with 1 thread
family     start=1116 and step >= 2 and arr.shape[-1] >= 1,117
neighbour  9.84 times: arr.shape[0] of 1,116 takes 10% of the time
model      6.06 times: half of 40 other inputs lie within a factor of 1.46 of it
roofline   29.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_delete-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_delete",
    category="indexing",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_delete/4c9badc1", profile="finding")
def slow():
    return dict(
        arr=tensor((1117,), "float32", uniform(-1.0, 1.0)),
        start=1116,
        step=2,
    )


@case("_npi_delete/064854cd", profile="contrast")
def fast():
    return dict(
        arr=tensor((1116,), "float32", uniform(-1.0, 1.0)),
        start=1116,
        step=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.18, threads=1))
