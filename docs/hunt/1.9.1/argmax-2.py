"""argmax, forward, on MXNet 1.9.1: 1.97 times as slow as a neighbour that does equal work.

slow       1,171 us a call, where 569 us were expected
fast       569 us a call
step       data.shape[1] of 1 and data.shape[0] of 131,072
ratio      1.97 times, 95% interval 1.78 to 2.09, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  1.97 times: data.shape[1] of 1 and data.shape[0] of 131,072
model      4.48 times: half of 115 other inputs lie within a factor of 1.10 of it
roofline   38.3 times: this machine can move and compute as much in that time

Measure it again: python argmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=5,
)


@case("argmax/8b755729", profile="finding")
def slow():
    return dict(
        data=tensor((65536, 2), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


@case("argmax/23fda6f7", profile="contrast")
def fast():
    return dict(
        data=tensor((131072, 1), "float32", uniform(-1.0, 1.0)),
        axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.4, threads=1))
