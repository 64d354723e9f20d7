"""_npi_sum, forward, on MXNet 2.0.0b1: 8.46 times as slow as a neighbour that does equal work.

slow       149 us a call, where 17.7 us were expected
fast       17.7 us a call
step       float32: as many elements, as many bytes
ratio      8.46 times, 95% interval 8.27 to 8.65, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  8.46 times: float32: as many elements, as many bytes
roofline   10.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-3.py
It times both interleaved, and exits with 1 if slow takes more than 2.91 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/46e23a7a", profile="finding")
def slow():
    return dict(
        a=tensor((32768,), "int32", integers(0, 10)),
    )


@case("_npi_sum/5c504e68", profile="contrast")
def fast():
    return dict(
        a=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.91, threads=1))
