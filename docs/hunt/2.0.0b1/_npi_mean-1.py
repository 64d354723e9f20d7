"""_npi_mean, forward, on MXNet 2.0.0b1: 3.33 times as slow as a neighbour that does equal work.

slow       71.3 us a call, where 21.8 us were expected
fast       21.8 us a call
step       dtype=float32
ratio      3.33 times, 95% interval 3.21 to 3.47, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  3.33 times: dtype=float32
roofline   5.75 times: this machine can move and compute as much in that time
kin        3.48 times: mean of the same input

Measure it again: python _npi_mean-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.82 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_mean/a76076dd", profile="finding")
def slow():
    return dict(
        a=tensor((9, 911), "float32", uniform(-1.0, 1.0)),
        dtype="int8",
        keepdims=False,
    )


@case("_npi_mean/9905f5d8", profile="contrast")
def fast():
    return dict(
        a=tensor((9, 911), "float32", uniform(-1.0, 1.0)),
        dtype="float32",
        keepdims=False,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.82, threads=1))
