"""col2im, forward, on MXNet 1.9.1: 5.48 times as slow as a neighbour that does equal work.

slow       124 us a call, where 23.7 us were expected
fast       23.7 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.48 times, 95% interval 5.26 to 5.81, with 1 thread
family     float16
neighbour  5.48 times: float32: as many elements, 2 times the bytes
roofline   7.76 times: this machine can move and compute as much in that time

Measure it again: python col2im-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.34 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="col2im",
    category="convolution",
    mxnet="1.9.1",
    seed=0,
)


@case("col2im/3b7cfd7f", profile="finding")
def slow():
    return dict(
        data=tensor((1, 256, 49), "float16", uniform(-1.0, 1.0)),
        kernel=(1, 1),
        output_size=(7, 7),
    )


@case("col2im/b3909b4a", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 256, 49), "float32", uniform(-1.0, 1.0)),
        kernel=(1, 1),
        output_size=(7, 7),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.34, threads=1))
