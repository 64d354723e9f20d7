"""_npi_full, forward, on MXNet 2.0.0b1: 3.82 times as slow as a neighbour that does equal work.

slow       173 us a call, where 45.4 us were expected
fast       45.4 us a call
step       dtype=bfloat16
ratio      3.82 times, 95% interval 3.55 to 3.91, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.82 times: dtype=bfloat16
roofline   6.86 times: this machine can move and compute as much in that time

Measure it again: python _npi_full-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.96 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_full",
    category="creation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_full/3ed55837", profile="finding")
def slow():
    return dict(
        double_value=1.5,
        dtype="float16",
        int_value=0,
        shape=(512, 1024),
        uint_value=0,
        value_type=2,
    )


@case("_npi_full/e5be0c5a", profile="contrast")
def fast():
    return dict(
        double_value=1.5,
        dtype="bfloat16",
        int_value=0,
        shape=(512, 1024),
        uint_value=0,
        value_type=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.96, threads=1))
