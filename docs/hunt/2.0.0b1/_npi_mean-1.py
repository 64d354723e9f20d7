"""_npi_mean, forward, on MXNet 2.0.0b1: 19.4 times as slow as a neighbour that does equal work.

slow       420 us a call, where 21.5 us were expected
fast       21.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      19.4 times, 95% interval 17.7 to 20.2, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  19.4 times: float32: as many elements, 2 times the bytes
roofline   30.6 times: this machine can move and compute as much in that time

Measure it again: python _npi_mean-1.py
It times both interleaved, and exits with 1 if slow takes more than 4.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_mean",
    category="reduction",
    mxnet="2.0.0b1",
    seed=5,
)


@case("_npi_mean/40969c98", profile="finding")
def slow():
    return dict(
        a=tensor((65536,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_mean/c33e1acc", profile="contrast")
def fast():
    return dict(
        a=tensor((65536,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=4.4, threads=1))
