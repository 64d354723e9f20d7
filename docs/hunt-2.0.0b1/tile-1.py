"""tile, backward, on MXNet 2.0.0b1: 3.34 times as slow as a neighbour that does equal work.

slow       291 us a call, where 86.9 us were expected
fast       86.9 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.34 times, 95% interval 3.19 to 3.43, with 1 thread
family     float16
neighbour  3.34 times: float64: as many elements, 4 times the bytes
roofline   23.8 times: this machine can move and compute as much in that time
forward    7.73 times: the forward pass of the same input

Measure it again: python tile-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.83 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="tile",
    category="expanding",
    mxnet="2.0.0b1",
    seed=0,
)


@case("tile/40a24af8", profile="finding")
def slow():
    return dict(
        data=tensor((32, 128), "float16", uniform(-1.0, 1.0)),
        reps=(1, 1),
    )


@case("tile/81779597", profile="contrast")
def fast():
    return dict(
        data=tensor((32, 128), "float64", uniform(-1.0, 1.0)),
        reps=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.83, threads=1))
