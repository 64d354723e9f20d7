"""argmax, forward, on MXNet 1.9.1: 2.03 times as slow as a neighbour that does equal work.

slow       260 us a call, where 134 us were expected
fast       107 us a call
step       data.shape[0] of 1 and data.shape[1] of 16,384
ratio      2.03 times, 95% interval 1.86 to 3.62, with 1 thread
family     axis is the last and dtype is not float16 and data.shape[-1] <= 16
neighbour  1.94 times: data.shape[0] of 1 and data.shape[1] of 16,384 takes 52% of the time
model      1.94 times: half of 40 other inputs lie within a factor of 1.11 of it
roofline   12.8 times: this machine can move and compute as much in that time

Measure it again: python argmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=1,
)


@case("argmax/eef64697", profile="finding")
def slow():
    return dict(
        data=tensor((4096, 4), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


@case("argmax/1ce51303", profile="contrast")
def fast():
    return dict(
        data=tensor((1, 16384), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.78, threads=1))
