"""tile, backward, on MXNet 1.9.1: 2.37 times as slow as a neighbour that does equal work.

slow       133 us a call, where 55.8 us were expected
fast       55.8 us a call
step       float64: as many elements, 4 times the bytes
ratio      2.37 times, 95% interval 2.29 to 2.41, with 1 thread
family     float16
neighbour  2.37 times: float64: as many elements, 4 times the bytes
roofline   8.60 times: this machine can move and compute as much in that time
forward    2.23 times: the forward pass of the same input

Measure it again: python tile-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="tile",
    category="expanding",
    mxnet="1.9.1",
    seed=0,
)


@case("tile/328e18d6", profile="finding")
def slow():
    return dict(
        data=tensor((4, 128), "float16", uniform(-1.0, 1.0)),
        reps=(1, 2),
    )


@case("tile/058c906e", profile="contrast")
def fast():
    return dict(
        data=tensor((4, 128), "float64", uniform(-1.0, 1.0)),
        reps=(1, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.54, threads=1))
