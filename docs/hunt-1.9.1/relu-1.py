"""relu, backward, on MXNet 1.9.1: 4.37 times as slow as a neighbour that does equal work.

slow       346 us a call, where 74.7 us were expected
fast       74.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.37 times, 95% interval 4.17 to 4.62, with 1 thread
family     float16
also       forward, 3.42 times
neighbour  4.37 times: float32: as many elements, 2 times the bytes
roofline   21.4 times: this machine can move and compute as much in that time
forward    4.18 times: the forward pass of the same input
kin        1.77 times: negative of the same input

Measure it again: python relu-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="relu",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("relu/3d0d94e0", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("relu/21d36eb2", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.09, threads=1))
