"""_npi_sum, backward, on MXNet 2.0.0b1: 2.10 times as slow as a neighbour that does equal work.

slow       153 us a call, where 71.4 us were expected
fast       71.4 us a call
step       dtype=int32
ratio      2.10 times, 95% interval 1.99 to 2.23, with 1 thread
family     dtype=float16
neighbour  2.10 times: dtype=int32
model      1.44 times: half of 35 other inputs lie within a factor of 1.18 of it
roofline   11.1 times: this machine can move and compute as much in that time
kin        2.43 times: sum of the same input

Measure it again: python _npi_sum-5.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_sum",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_sum/2152f041", profile="finding")
def slow():
    return dict(
        a=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        dtype="float16",
    )


@case("_npi_sum/ea88332e", profile="contrast")
def fast():
    return dict(
        a=tensor((32768,), "float32", uniform(-1.0, 1.0)),
        dtype="int32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
