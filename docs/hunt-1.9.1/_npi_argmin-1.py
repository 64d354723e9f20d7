"""_npi_argmin, forward, on MXNet 1.9.1: 7.22 times as slow as a neighbour that does equal work.

slow       144 us a call, where 19.8 us were expected
fast       19.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      7.22 times, 95% interval 7.05 to 7.36, with 1 thread
family     float16
neighbour  7.22 times: float64: as many elements, 4 times the bytes
model      4.94 times: half of 27 other inputs lie within a factor of 1.06 of it
roofline   9.25 times: this machine can move and compute as much in that time

Measure it again: python _npi_argmin-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.69 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_argmin",
    category="sorting",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_argmin/cc2533c4", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_argmin/6b42430f", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.69, threads=1))
