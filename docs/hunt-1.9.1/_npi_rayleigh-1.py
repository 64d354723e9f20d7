"""_npi_rayleigh, forward, on MXNet 1.9.1: 1.99 times as slow as a neighbour that does equal work.

slow       132 us a call, where 66.6 us were expected
fast       66.6 us a call
step       int64: as many elements, 4 times the bytes
ratio      1.99 times, 95% interval 1.95 to 2.04, with 1 thread
family     float16
neighbour  1.99 times: int64: as many elements, 4 times the bytes
roofline   8.38 times: this machine can move and compute as much in that time

Measure it again: python _npi_rayleigh-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_rayleigh",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_rayleigh/39ccaa2b", profile="finding")
def slow():
    return dict(
        input1=tensor((4096,), "float16", uniform(0.5, 2.0)),
        scale=None,
    )


@case("_npi_rayleigh/314d34e5", profile="contrast")
def fast():
    return dict(
        input1=tensor((4096,), "int64", uniform(0.5, 2.0)),
        scale=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.41, threads=1))
