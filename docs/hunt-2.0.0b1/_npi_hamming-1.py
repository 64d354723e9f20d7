"""_npi_hamming, forward, on MXNet 2.0.0b1: 4.75 times as slow as a neighbour that does equal work.

slow       144 us a call, where 30.4 us were expected
fast       30.4 us a call
step       dtype=float32
ratio      4.75 times, 95% interval 4.66 to 4.83, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  4.75 times: dtype=float32
roofline   11.9 times: this machine can move and compute as much in that time

Measure it again: python _npi_hamming-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.18 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast

SUITE = Suite(
    format=1,
    operator="_npi_hamming",
    category="creation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_hamming/8fef09a0", profile="finding")
def slow():
    return dict(
        M=4092,
        dtype="bfloat16",
    )


@case("_npi_hamming/64511c68", profile="contrast")
def fast():
    return dict(
        M=4092,
        dtype="float32",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.18, threads=1))
