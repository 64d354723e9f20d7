"""_npi_insert_slice, forward, on MXNet 1.9.1: 9.30 times as slow as a neighbour that does equal work.

slow       47,747 us a call, where 5,001 us were expected
fast       5,001 us a call
step       arr.shape[0] of 128 and arr.shape[1] of 2,048
ratio      9.30 times, 95% interval 8.39 to 10.2, with 1 thread
family     start=0 and stop=None and step=2 and arr.shape[0] > 128 and arr.shape[1] < 2,048
neighbour  9.55 times: arr.shape[0] of 128 and arr.shape[1] of 2,048 takes 10% of the time
model      12.0 times: half of 39 other inputs lie within a factor of 1.45 of it
roofline   421 times: this machine can move and compute as much in that time

Measure it again: python _npi_insert_slice-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.05 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_insert_slice",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_insert_slice/4e9081da", profile="finding")
def slow():
    return dict(
        arr=tensor((8192, 32), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        axis=0,
        start=0,
        step=2,
        stop=None,
    )


@case("_npi_insert_slice/5834cffe", profile="contrast")
def fast():
    return dict(
        arr=tensor((128, 2048), "float32", uniform(-1.0, 1.0)),
        values=tensor((1,), "float32", uniform(-1.0, 1.0)),
        axis=0,
        start=0,
        step=2,
        stop=None,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.05, threads=1))
