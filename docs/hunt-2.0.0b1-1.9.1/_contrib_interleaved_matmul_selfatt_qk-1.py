"""_contrib_interleaved_matmul_selfatt_qk, backward: 3.53 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       161 us a call, where 44.4 us were expected
fast       44.4 us a call
step       the same input on MXNet 1.9.1
ratio      3.53 times, 95% interval 3.20 to 3.95, with 1 thread
family     every input
also       forward, 5.42 times
side       3.53 times: the same input on MXNet 1.9.1
roofline   13.7 times: this machine can move and compute as much in that time
forward    1.52 times: the forward pass of the same input

Measure it again: python _contrib_interleaved_matmul_selfatt_qk-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.88 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_interleaved_matmul_selfatt_qk",
    category="attention",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_interleaved_matmul_selfatt_qk/fecda5c2", profile="finding")
def both():
    return dict(
        queries_keys_values=tensor((1, 2, 1), "float32", uniform(-1.0, 1.0)),
        heads=3,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.88, threads=1, sides=sides))
