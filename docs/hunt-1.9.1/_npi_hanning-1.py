"""_npi_hanning, forward, on MXNet 1.9.1: 1.96 times as slow as a neighbour that does equal work.

slow       144 us a call, where 73.4 us were expected
fast       73.4 us a call
step       no dtype
ratio      1.96 times, 95% interval 1.90 to 2.01, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  1.96 times: no dtype
roofline   9.28 times: this machine can move and compute as much in that time

Measure it again: python _npi_hanning-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_hanning",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_hanning/977e9d03", profile="finding")
def slow():
    return dict(
        M=2001,
        dtype="float16",
    )


@case("_npi_hanning/1c75ba69", profile="contrast")
def fast():
    return dict(
        M=2001,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.4, threads=1))
