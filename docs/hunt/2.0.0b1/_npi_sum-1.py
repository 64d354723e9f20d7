"""_npi_sum, forward, on MXNet 2.0.0b1: 7.08 times as slow as a neighbour that does equal work.

slow       113 us a call, where 16.1 us were expected
fast       16.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.08 times, 95% interval 6.94 to 7.38, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  7.08 times: float32: as many elements, 2 times the bytes
roofline   9.03 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.66 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/fa66b974", profile="finding")
def slow():
    return dict(
        a=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_sum/48341457", profile="contrast")
def fast():
    return dict(
        a=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.66, threads=1))
