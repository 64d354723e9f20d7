"""tile, backward, on MXNet 1.9.1: 2.03 times as slow as a neighbour that does equal work.

slow       92.4 us a call, where 46.0 us were expected
fast       46.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.03 times, 95% interval 1.98 to 2.11, with 1 thread
family     float16
neighbour  2.03 times: float32: as many elements, 2 times the bytes
model      1.40 times: half of 76 other inputs lie within a factor of 1.26 of it
roofline   8.03 times: this machine can move and compute as much in that time
forward    2.15 times: the forward pass of the same input

Measure it again: python tile-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="tile",
    category="expanding",
    mxnet="1.9.1",
    seed=5,
)


@case("tile/2bbaa6ed", profile="finding")
def slow():
    return dict(
        data=tensor((6, 3, 17), "float16", uniform(-1.0, 1.0)),
        reps=(2, 1, 1),
    )


@case("tile/572c3e41", profile="contrast")
def fast():
    return dict(
        data=tensor((6, 3, 17), "float32", uniform(-1.0, 1.0)),
        reps=(2, 1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.42, threads=1))
