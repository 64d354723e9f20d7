"""_npi_delete, forward, on MXNet 1.9.1: 14.7 times as slow as a neighbour that does equal work.

slow       411 us a call, where 28.0 us were expected
fast       28.0 us a call
step       arr.shape[0] of 1,061
ratio      14.7 times, 95% interval 14.1 to 15.2, with 1 thread
family     start=1061 and step=1 and arr.shape[0] >= 1,062
neighbour  14.7 times: arr.shape[0] of 1,061 takes 7% of the time
model      7.74 times: half of 40 other inputs lie within a factor of 1.50 of it
roofline   23.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_delete-2.py
It times both interleaved, and exits with 1 if slow takes more than 3.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_delete",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_delete/64df6e04", profile="finding")
def slow():
    return dict(
        arr=tensor((1062,), "float32", uniform(-1.0, 1.0)),
        start=1061,
        step=1,
    )


@case("_npi_delete/9854383b", profile="contrast")
def fast():
    return dict(
        arr=tensor((1061,), "float32", uniform(-1.0, 1.0)),
        start=1061,
        step=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.84, threads=1))
