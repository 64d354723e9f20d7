"""_npi_min, backward, on MXNet 2.0.0b1: 2.11 times as slow as a neighbour that does equal work.

slow       262 us a call, where 126 us were expected
fast       126 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.11 times, 95% interval 1.94 to 2.29, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 6.14 times
neighbour  2.11 times: float32: as many elements, 2 times the bytes
roofline   21.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_min-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_min",
    category="reduction",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_min/86c341c2", profile="finding")
def slow():
    return dict(
        a=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_min/f8f060aa", profile="contrast")
def fast():
    return dict(
        a=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.45, threads=1))
