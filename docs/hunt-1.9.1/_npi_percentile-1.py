"""_npi_percentile, forward, on MXNet 1.9.1: 2.26 times as slow as a neighbour that does equal work.

slow       360 us a call, where 191 us were expected
fast       191 us a call
step       int32: as many elements, as many bytes
ratio      2.26 times, 95% interval 1.84 to 2.54, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.26 times: int32: as many elements, as many bytes
roofline   22.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_percentile-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_percentile",
    category="statistics",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_percentile/68c80eb8", profile="finding")
def slow():
    return dict(
        a=tensor((625, 10), "float32", uniform(-1.0, 1.0)),
        axis=(0,),
        q_scalar=50.0,
    )


@case("_npi_percentile/8cf6eed3", profile="contrast")
def fast():
    return dict(
        a=tensor((625, 10), "int32", integers(0, 10)),
        axis=(0,),
        q_scalar=50.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.5, threads=1))
