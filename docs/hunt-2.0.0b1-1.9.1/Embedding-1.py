"""Embedding, backward: 3.12 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       634 us a call, where 201 us were expected
fast       201 us a call
step       the same input on MXNet 1.9.1
ratio      3.12 times, 95% interval 2.81 to 3.48, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       3.12 times: the same input on MXNet 1.9.1
roofline   14.6 times: this machine can move and compute as much in that time
forward    13.1 times: the forward pass of the same input

Measure it again: python Embedding-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.77 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="Embedding",
    category="nn_basic",
    mxnet="2.0.0b1",
    seed=0,
)


@case("Embedding/20f8f825", profile="finding")
def both():
    return dict(
        data=tensor((2,), "int64", integers(0, 5000)),
        weight=tensor((1233, 512), "float32", uniform(-1.0, 1.0)),
        input_dim=1233,
        output_dim=512,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.77, threads=1, sides=sides))
