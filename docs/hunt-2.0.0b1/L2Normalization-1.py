"""L2Normalization, backward, on MXNet 2.0.0b1: 4.93 times as slow as a neighbour that does equal work.

slow       1,768 us a call, where 361 us were expected
fast       361 us a call
step       float64: as many elements, 4 times the bytes
ratio      4.93 times, 95% interval 4.79 to 5.03, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 7.15 times
neighbour  4.93 times: float64: as many elements, 4 times the bytes
roofline   138 times: this machine can move and compute as much in that time
forward    1.70 times: the forward pass of the same input

Measure it again: python L2Normalization-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.22 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="L2Normalization",
    category="normalization",
    mxnet="2.0.0b1",
    seed=0,
)


@case("L2Normalization/4533fdf8", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("L2Normalization/ebc1e048", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.22, threads=1))
