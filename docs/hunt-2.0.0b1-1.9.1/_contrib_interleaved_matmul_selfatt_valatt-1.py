"""_contrib_interleaved_matmul_selfatt_valatt, backward: 5.79 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       285 us a call, where 47.7 us were expected
fast       47.7 us a call
step       the same input on MXNet 1.9.1
ratio      5.79 times, 95% interval 5.16 to 6.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 7.12 times
side       5.79 times: the same input on MXNet 1.9.1
roofline   24.2 times: this machine can move and compute as much in that time
forward    2.00 times: the forward pass of the same input

Measure it again: python _contrib_interleaved_matmul_selfatt_valatt-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.41 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, probabilities, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_interleaved_matmul_selfatt_valatt",
    category="attention",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_interleaved_matmul_selfatt_valatt/141095c3", profile="finding")
def both():
    return dict(
        queries_keys_values=tensor((1, 7, 15), "float32", uniform(-1.0, 1.0)),
        attention=tensor((16, 1, 1), "float32", probabilities()),
        heads=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.41, threads=1, sides=sides))
