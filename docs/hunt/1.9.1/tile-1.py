"""tile, backward, on MXNet 1.9.1: 5.55 times as slow as a neighbour that does equal work.

slow       340 us a call, where 61.1 us were expected
fast       61.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.55 times, 95% interval 5.44 to 5.59, with 1 thread
family     float16
neighbour  5.55 times: float32: as many elements, 2 times the bytes
model      4.56 times: half of 76 other inputs lie within a factor of 1.29 of it
roofline   29.6 times: this machine can move and compute as much in that time
forward    8.10 times: the forward pass of the same input

Measure it again: python tile-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="tile",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("tile/b67940c9", profile="finding")
def slow():
    return dict(
        data=tensor((4, 468), "float16", uniform(-1.0, 1.0)),
        reps=(2, 1),
    )


@case("tile/0ed21139", profile="contrast")
def fast():
    return dict(
        data=tensor((4, 468), "float32", uniform(-1.0, 1.0)),
        reps=(2, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.35, threads=1))
