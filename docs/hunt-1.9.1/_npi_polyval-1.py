"""_npi_polyval, forward, on MXNet 1.9.1: 6.85 times as slow as a neighbour that does equal work.

slow       99.7 us a call, where 14.7 us were expected
fast       14.7 us a call
step       int64: as many elements, 4 times the bytes
ratio      6.85 times, 95% interval 6.68 to 7.02, with 1 thread
family     float16
neighbour  6.85 times: int64: as many elements, 4 times the bytes
roofline   6.45 times: this machine can move and compute as much in that time

Measure it again: python _npi_polyval-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_polyval",
    category="linalg",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_polyval/8e2bd68c", profile="finding")
def slow():
    return dict(
        p=tensor((256,), "float16", uniform(-1.0, 1.0)),
        x=tensor((10,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_polyval/38c87d2f", profile="contrast")
def fast():
    return dict(
        p=tensor((256,), "int64", integers(0, 10)),
        x=tensor((10,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.62, threads=1))
