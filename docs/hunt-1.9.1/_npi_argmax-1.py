"""_npi_argmax, forward, on MXNet 1.9.1: 7.32 times as slow as a neighbour that does equal work.

slow       176 us a call, where 23.8 us were expected
fast       23.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.32 times, 95% interval 6.41 to 8.03, with 1 thread
family     float16, and 2,048 elements or more
neighbour  7.32 times: float32: as many elements, 2 times the bytes
roofline   11.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_argmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.7 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_argmax/a7a1c068", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_argmax/ff0d8a44", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.7, threads=1))
