"""_npi_sum, forward, on MXNet 2.0.0b1: 5.55 times as slow as a neighbour that does equal work.

slow       184 us a call, where 32.3 us were expected
fast       32.3 us a call
step       axes 0 and 1 exchanged
ratio      5.55 times, 95% interval 4.88 to 5.93, with 1 thread
family     this input; no family of it holds on fresh draws
also       backward, 5.98 times
neighbour  5.55 times: axes 0 and 1 exchanged
roofline   13.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/2d30a332", profile="finding")
def slow():
    return dict(
        a=tensor((32, 1024), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
    )


@case("_npi_sum/c98c997b", profile="contrast")
def fast():
    return dict(
        a=tensor((1024, 32), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.35, threads=1))
