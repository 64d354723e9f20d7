"""_npi_polyval, forward, on MXNet 2.0.0b1: 5.35 times as slow as a neighbour that does equal work.

slow       149 us a call, where 28.3 us were expected
fast       28.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      5.35 times, 95% interval 4.98 to 5.61, with 1 thread
family     float16
neighbour  5.35 times: int32: as many elements, 2 times the bytes
roofline   12.3 times: this machine can move and compute as much in that time

Measure it again: python _npi_polyval-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.31 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_polyval",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_polyval/8b83ed9c", profile="finding")
def slow():
    return dict(
        p=tensor((512,), "float16", uniform(-1.0, 1.0)),
        x=tensor((8,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_polyval/4c4f7a3c", profile="contrast")
def fast():
    return dict(
        p=tensor((512,), "int32", integers(0, 10)),
        x=tensor((8,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.31, threads=1))
