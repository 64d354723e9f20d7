"""SliceChannel, backward, on MXNet 1.9.1: 2.47 times as slow as a neighbour that does equal work.

slow       119 us a call, where 48.0 us were expected
fast       48.0 us a call
step       axes 0 and 1 exchanged
ratio      2.47 times, 95% interval 2.39 to 2.56, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.24 times
neighbour  2.47 times: axes 0 and 1 exchanged
roofline   7.40 times: this machine can move and compute as much in that time
forward    1.83 times: the forward pass of the same input

Measure it again: python SliceChannel-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.57 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SliceChannel",
    category="join_split",
    mxnet="1.9.1",
    seed=0,
)


@case("SliceChannel/3da06c6d", profile="finding")
def slow():
    return dict(
        data=tensor((16, 512), "float32", uniform(-1.0, 1.0)),
        axis=1,
        num_outputs=1,
    )


@case("SliceChannel/49f52be9", profile="contrast")
def fast():
    return dict(
        data=tensor((512, 16), "float32", uniform(-1.0, 1.0)),
        axis=0,
        num_outputs=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.57, threads=1))
