"""_npi_greater_scalar, forward, on MXNet 1.9.1: 5.29 times as slow as a neighbour that does equal work.

slow       128 us a call, where 24.2 us were expected
fast       24.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.29 times, 95% interval 4.99 to 5.42, with 1 thread
family     float16
neighbour  5.29 times: float32: as many elements, 2 times the bytes
roofline   7.74 times: this machine can move and compute as much in that time

Measure it again: python _npi_greater_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.3 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_npi_greater_scalar",
    category="comparison",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_greater_scalar/198ef497", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", integers(0, 4)),
    )


@case("_npi_greater_scalar/5fd18c3f", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", integers(0, 4)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.3, threads=1))
