"""_npi_blackman, forward, on MXNet 1.9.1: 2.99 times as slow as a neighbour that does equal work.

slow       114 us a call, where 38.5 us were expected
fast       38.5 us a call
step       dtype=float32
ratio      2.99 times, 95% interval 2.86 to 3.12, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.99 times: dtype=float32
roofline   7.35 times: this machine can move and compute as much in that time

Measure it again: python _npi_blackman-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.73 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_blackman",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_blackman/200e8b16", profile="finding")
def slow():
    return dict(
        M=1021,
        dtype="float16",
    )


@case("_npi_blackman/9bba09f6", profile="contrast")
def fast():
    return dict(
        M=1021,
        dtype="float32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.73, threads=1))
