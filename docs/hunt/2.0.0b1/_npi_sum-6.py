"""_npi_sum, backward, on MXNet 2.0.0b1: 1.95 times as slow as a neighbour that does equal work.

slow       138 us a call, where 72.4 us were expected
fast       72.4 us a call
step       dtype=int32
ratio      1.95 times, 95% interval 1.87 to 2.06, with 1 thread
family     dtype=float16
neighbour  1.95 times: dtype=int32
model      1.60 times: half of 33 other inputs lie within a factor of 1.13 of it
roofline   10.1 times: this machine can move and compute as much in that time
kin        2.26 times: sum of the same input

Measure it again: python _npi_sum-6.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.4, threads=1))
