"""_npi_sum, forward, on MXNet 2.0.0b1: 15.7 times as slow as a neighbour that does equal work.

slow       404 us a call, where 25.5 us were expected
fast       25.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      15.7 times, 95% interval 15.3 to 16.1, with 1 thread
family     float16, and dtype=float32, and the last dimension is 2 or more
also       backward, 2.03 times
neighbour  15.7 times: float32: as many elements, 2 times the bytes
roofline   29.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_sum-4.py
It times both interleaved, and exits with 1 if slow takes more than 3.97 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/e059211c", profile="finding")
def slow():
    return dict(
        a=tensor((65536,), "float16", uniform(-1.0, 1.0)),
        dtype="float32",
    )


@case("_npi_sum/fb2b33c7", profile="contrast")
def fast():
    return dict(
        a=tensor((65536,), "float32", uniform(-1.0, 1.0)),
        dtype="float32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.97, threads=1))
