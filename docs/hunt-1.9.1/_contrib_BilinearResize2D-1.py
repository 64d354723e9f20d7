"""_contrib_BilinearResize2D, backward, on MXNet 1.9.1: 4.60 times as slow as a neighbour that does equal work.

slow       267 us a call, where 58.1 us were expected
fast       58.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.60 times, 95% interval 4.47 to 4.78, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 8.76 times
neighbour  4.60 times: float32: as many elements, 2 times the bytes
roofline   17.3 times: this machine can move and compute as much in that time
forward    1.28 times: the forward pass of the same input

Measure it again: python _contrib_BilinearResize2D-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.14 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_BilinearResize2D",
    category="pooling",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_BilinearResize2D/736db7ec", profile="finding")
def slow():
    return dict(
        data=tensor((1, 1, 40, 10), "float16", uniform(-1.0, 1.0)),
        height=125,
        width=10,
    )


@case("_contrib_BilinearResize2D/008bcd9c", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 1, 40, 10), "float32", uniform(-1.0, 1.0)),
        height=125,
        width=10,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.14, threads=1))
