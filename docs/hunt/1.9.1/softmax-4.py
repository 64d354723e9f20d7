"""softmax, backward, on MXNet 1.9.1: 2.18 times as slow as a neighbour that does equal work.

slow       178 us a call, where 81.6 us were expected
fast       81.6 us a call
step       dtype=float64
ratio      2.18 times, 95% interval 2.11 to 2.25, with 1 thread
family     dtype=float16
neighbour  2.18 times: dtype=float64
model      2.72 times: half of 43 other inputs lie within a factor of 1.49 of it
roofline   15.2 times: this machine can move and compute as much in that time
forward    1.41 times: the forward pass of the same input

Measure it again: python softmax-4.py
It times both interleaved, and exits with 1 if slow takes more than 1.48 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("softmax/5632fb25", profile="finding")
def slow():
    return dict(
        data=tensor((2, 1024), "float32", uniform(-1.0, 1.0)),
        length=tensor((1024,), "int32", integers(1, 3)),
        axis=0,
        dtype="float16",
        temperature=0.5,
        use_length=True,
    )


@case("softmax/56dc0cbd", profile="contrast")
def fast():
    return dict(
        data=tensor((2, 1024), "float32", uniform(-1.0, 1.0)),
        length=tensor((1024,), "int32", integers(1, 3)),
        axis=0,
        dtype="float64",
        temperature=0.5,
        use_length=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.48, threads=1))
