"""_npi_powerd, forward, on MXNet 1.9.1: 2.40 times as slow as a neighbour that does equal work.

slow       97.6 us a call, where 40.6 us were expected
fast       40.6 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.40 times, 95% interval 2.33 to 2.43, with 1 thread
family     float16, and a is not given
neighbour  2.40 times: float64: as many elements, 4 times the bytes
roofline   6.27 times: this machine can move and compute as much in that time

Measure it again: python _npi_powerd-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.55 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_powerd",
    category="random",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_powerd/e77025e7", profile="finding")
def slow():
    return dict(
        input1=tensor((2048,), "float16", uniform(0.5, 3.0)),
    )


@case("_npi_powerd/05686b1c", profile="contrast")
def fast():
    return dict(
        input1=tensor((2048,), "float64", uniform(0.5, 3.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.55, threads=1))
