"""nanprod, forward, on MXNet 1.9.1: 4.79 times as slow as a neighbour that does equal work.

slow       131 us a call, where 27.8 us were expected
fast       27.8 us a call
step       int32: as many elements, 2 times the bytes
ratio      4.79 times, 95% interval 4.70 to 4.91, with 1 thread
family     float16
neighbour  4.79 times: int32: as many elements, 2 times the bytes
roofline   8.47 times: this machine can move and compute as much in that time

Measure it again: python nanprod-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.19 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="nanprod",
    category="reduction",
    mxnet="1.9.1",
    seed=0,
)


@case("nanprod/6f50d385", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(0.999, 1.001)),
    )


@case("nanprod/defa1b53", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int32", uniform(0.999, 1.001)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.19, threads=1))
