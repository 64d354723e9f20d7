"""_npi_insert_slice, forward, on MXNet 2.0.0b1: 4.00 times as slow as a neighbour that does equal work.

slow       32,747 us a call, where 8,204 us were expected
fast       8,204 us a call
step       arr.shape[0] of 128 and arr.shape[1] of 2,048
ratio      4.00 times, 95% interval 3.98 to 4.05, with 1 thread
family     start=0 and stop=None and step=2 and arr.shape[0] > 128 and arr.shape[1] < 2,048
neighbour  3.99 times: arr.shape[0] of 128 and arr.shape[1] of 2,048 takes 25% of the time
roofline   284 times: this machine can move and compute as much in that time

Measure it again: python _npi_insert_slice-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.0 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_insert_slice",
    category="indexing",
    mxnet="2.0.0b1",
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
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.0, threads=1))
