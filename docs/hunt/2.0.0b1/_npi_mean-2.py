"""_npi_mean, forward, on MXNet 2.0.0b1: 4.51 times as slow as a neighbour that does equal work.

slow       137 us a call, where 30.2 us were expected
fast       30.2 us a call
step       axes 0 and 1 exchanged
ratio      4.51 times, 95% interval 4.29 to 4.59, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  4.51 times: axes 0 and 1 exchanged
roofline   10.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_mean-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.12 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_mean/94c2fa2c", profile="finding")
def slow():
    return dict(
        a=tensor((24, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_mean/77c0b2a9", profile="contrast")
def fast():
    return dict(
        a=tensor((1024, 24), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.12, threads=1))
