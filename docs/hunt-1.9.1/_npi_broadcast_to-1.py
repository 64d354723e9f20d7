"""_npi_broadcast_to, forward, on MXNet 1.9.1: 2.10 times as slow as a neighbour that does equal work.

slow       144 us a call, where 69.2 us were expected
fast       69.2 us a call
step       array.shape[1] of 1 and array.shape[0] of 256
ratio      2.10 times, 95% interval 1.97 to 2.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.10 times: array.shape[1] of 1 and array.shape[0] of 256
roofline   7.85 times: this machine can move and compute as much in that time

Measure it again: python _npi_broadcast_to-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_broadcast_to",
    category="expanding",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_broadcast_to/7f7e7ac3", profile="finding")
def slow():
    return dict(
        array=tensor((1, 256), "float32", uniform(-1.0, 1.0)),
        shape=(256, 256),
    )


@case("_npi_broadcast_to/8d398950", profile="contrast")
def fast():
    return dict(
        array=tensor((256, 1), "float32", uniform(-1.0, 1.0)),
        shape=(256, 256),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.45, threads=1))
