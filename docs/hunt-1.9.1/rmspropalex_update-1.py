"""rmspropalex_update, forward, on MXNet 1.9.1: 9.49 times as slow as a neighbour that does equal work.

slow       141 us a call, where 14.9 us were expected
fast       14.9 us a call
step       float32: as many elements, 2 times the bytes
ratio      9.49 times, 95% interval 9.31 to 9.77, with 1 thread
family     float16
neighbour  9.49 times: float32: as many elements, 2 times the bytes
roofline   9.11 times: this machine can move and compute as much in that time

Measure it again: python rmspropalex_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.08 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="rmspropalex_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("rmspropalex_update/10db4be3", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        n=tensor((512,), "float16", constant(0.0)),
        g=tensor((512,), "float16", constant(0.0)),
        delta=tensor((512,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("rmspropalex_update/3e8d9e2f", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float32", uniform(-0.1, 0.1)),
        n=tensor((512,), "float32", constant(0.0)),
        g=tensor((512,), "float32", constant(0.0)),
        delta=tensor((512,), "float32", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.08, threads=1))
