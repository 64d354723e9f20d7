"""_npi_sum, backward, on MXNet 2.0.0b1: 2.30 times as slow as a neighbour that does equal work.

slow       192 us a call, where 83.2 us were expected
fast       83.2 us a call
step       a.shape[0] of 1 and a.shape[1] of 45,056
ratio      2.30 times, 95% interval 2.25 to 2.35, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.30 times: a.shape[0] of 1 and a.shape[1] of 45,056
model      2.03 times: half of 33 other inputs lie within a factor of 1.13 of it
roofline   13.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-5.py
It times both interleaved, and exits with 1 if slow takes more than 1.52 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/4bf7dd1f", profile="finding")
def slow():
    return dict(
        a=tensor((88, 512), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_sum/8ae3e696", profile="contrast")
def fast():
    return dict(
        a=tensor((1, 45056), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.52, threads=1))
