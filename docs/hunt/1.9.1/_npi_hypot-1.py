"""_npi_hypot, forward, on MXNet 1.9.1: 3.43 times as slow as a neighbour that does equal work.

slow       23,538 us a call, where 6,855 us were expected
fast       6,855 us a call
step       float32
ratio      3.43 times, 95% interval 3.11 to 3.44, with 1 thread
family     dtype is float16
neighbour  3.43 times: float32 takes 29% of the time
model      3.28 times: half of 40 other inputs lie within a factor of 1.13 of it
roofline   250 times: this machine can move and compute as much in that time

Measure it again: python _npi_hypot-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.85 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_hypot",
    category="broadcast",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_hypot/12ef64ad", profile="finding")
def slow():
    return dict(
        x1=tensor((1, 1024), "float16", uniform(-1.0, 1.0)),
        x2=tensor((1024, 1), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_hypot/bf423a47", profile="contrast")
def fast():
    return dict(
        x1=tensor((1, 1024), "float32", uniform(-1.0, 1.0)),
        x2=tensor((1024, 1), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.85, threads=1))
