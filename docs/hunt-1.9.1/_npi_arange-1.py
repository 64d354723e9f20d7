"""_npi_arange, forward, on MXNet 1.9.1: 8.23 times as slow as a neighbour that does equal work.

slow       1,581 us a call, where 192 us were expected
fast       192 us a call
step       no dtype
ratio      8.23 times, 95% interval 8.08 to 8.37, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  8.23 times: no dtype
roofline   93.7 times: this machine can move and compute as much in that time

Measure it again: python _npi_arange-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_arange",
    category="creation",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_arange/61d733c0", profile="finding")
def slow():
    return dict(
        dtype="float16",
        start=0.0,
        stop=65536.0,
    )


@case("_npi_arange/a28338cf", profile="contrast")
def fast():
    return dict(
        start=0.0,
        stop=65536.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.87, threads=1))
