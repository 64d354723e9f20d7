"""_npi_delete, forward, on MXNet 1.9.1: 8.25 times as slow as a neighbour that does equal work.

slow       170 us a call, where 20.4 us were expected
fast       20.4 us a call
step       axis=1
ratio      8.25 times, 95% interval 7.58 to 8.84, with 1 thread
family     the length along axis is 1,022 or more, and step is 2 or more
neighbour  8.25 times: axis=1
roofline   11.0 times: this machine can move and compute as much in that time

Measure it again: python _npi_delete-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.87 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_delete",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_delete/eb870485", profile="finding")
def slow():
    return dict(
        arr=tensor((1024, 1), "float32", uniform(-1.0, 1.0)),
        axis=0,
        step=2,
    )


@case("_npi_delete/66a66834", profile="contrast")
def fast():
    return dict(
        arr=tensor((1024, 1), "float32", uniform(-1.0, 1.0)),
        axis=1,
        step=2,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.87, threads=1))
