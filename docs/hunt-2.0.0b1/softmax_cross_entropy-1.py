"""softmax_cross_entropy, backward, on MXNet 2.0.0b1: 4.41 times as slow as a neighbour that does equal work.

slow       714 us a call, where 166 us were expected
fast       166 us a call
step       float32: as many elements, 2 times the bytes
ratio      4.41 times, 95% interval 4.18 to 4.68, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 5.63 times
neighbour  4.41 times: float32: as many elements, 2 times the bytes
roofline   58.5 times: this machine can move and compute as much in that time
forward    1.30 times: the forward pass of the same input

Measure it again: python softmax_cross_entropy-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.1 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax_cross_entropy",
    category="loss",
    mxnet="2.0.0b1",
    seed=0,
)


@case("softmax_cross_entropy/f400a57b", profile="finding")
def slow():
    return dict(
        data=tensor((32, 256), "float16", uniform(-1.0, 1.0)),
        label=tensor((32,), "float16", integers(0, 32)),
    )


@case("softmax_cross_entropy/80a19d71", profile="contrast")
def fast():
    return dict(
        data=tensor((32, 256), "float32", uniform(-1.0, 1.0)),
        label=tensor((32,), "float32", integers(0, 32)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.1, threads=1))
