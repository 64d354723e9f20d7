"""Embedding, backward: 2.87 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       2,473 us a call, where 917 us were expected
fast       917 us a call
step       the same input on MXNet 1.9.1
ratio      2.87 times, 95% interval 2.56 to 3.08, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       2.87 times: the same input on MXNet 1.9.1
roofline   17.4 times: this machine can move and compute as much in that time
forward    3.53 times: the forward pass of the same input

Measure it again: python Embedding-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.69 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Embedding",
    category="nn_basic",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Embedding/4ae995d8", profile="finding")
def both():
    return dict(
        data=tensor((64, 128), "int32", integers(0, 10000)),
        weight=tensor((10000, 128), "float32", uniform(-1.0, 1.0)),
        dtype="float32",
        input_dim=10000,
        output_dim=128,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.69, threads=1, sides=sides))
