"""SliceChannel, backward, on MXNet 2.0.0b1: 5.83 times as slow as a neighbour that does equal work.

slow       366 us a call, where 57.3 us were expected
fast       57.3 us a call
step       axes 0 and 1 exchanged
ratio      5.83 times, 95% interval 5.20 to 6.31, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 4.10 times
neighbour  5.83 times: axes 0 and 1 exchanged
roofline   23.9 times: this machine can move and compute as much in that time
forward    1.67 times: the forward pass of the same input

Measure it again: python SliceChannel-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.41 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="SliceChannel",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("SliceChannel/1af98587", profile="finding")
def slow():
    return dict(
        data=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        axis=1,
        num_outputs=1,
    )


@case("SliceChannel/f41e323e", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 128), "float32", uniform(-1.0, 1.0)),
        axis=0,
        num_outputs=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.41, threads=1))
