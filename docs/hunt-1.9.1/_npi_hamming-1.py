"""_npi_hamming, forward, on MXNet 1.9.1: 2.21 times as slow as a neighbour that does equal work.

slow       106 us a call, where 48.2 us were expected
fast       48.2 us a call
step       dtype=float32
ratio      2.21 times, 95% interval 2.14 to 2.26, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.21 times: dtype=float32
roofline   6.85 times: this machine can move and compute as much in that time

Measure it again: python _npi_hamming-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.49 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_hamming",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_hamming/da988b17", profile="finding")
def slow():
    return dict(
        M=2028,
        dtype="float16",
    )


@case("_npi_hamming/24ea6050", profile="contrast")
def fast():
    return dict(
        M=2028,
        dtype="float32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.49, threads=1))
