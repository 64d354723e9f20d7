"""_np_cumsum, backward, on MXNet 1.9.1: 2.02 times as slow as a neighbour that does equal work.

slow       158 us a call, where 79.1 us were expected
fast       79.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.02 times, 95% interval 1.90 to 2.06, with 1 thread
family     float16
also       forward, 3.74 times
neighbour  2.02 times: float32: as many elements, 2 times the bytes
model      2.32 times: half of 38 other inputs lie within a factor of 1.26 of it
roofline   7.87 times: this machine can move and compute as much in that time
forward    1.30 times: the forward pass of the same input

Measure it again: python _np_cumsum-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_cumsum",
    category="cumulative",
    mxnet="1.9.1",
    seed=5,
)


@case("_np_cumsum/d825a54b", profile="finding")
def slow():
    return dict(
        a=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("_np_cumsum/fcea7ff6", profile="contrast")
def fast():
    return dict(
        a=tensor((4096,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.42, threads=1))
