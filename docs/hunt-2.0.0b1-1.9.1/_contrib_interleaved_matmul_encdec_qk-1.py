"""_contrib_interleaved_matmul_encdec_qk, backward: 4.74 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       269 us a call, where 57.8 us were expected
fast       57.8 us a call
step       the same input on MXNet 1.9.1
ratio      4.74 times, 95% interval 4.28 to 5.64, with 1 thread
family     every input
also       forward, 6.82 times
side       4.74 times: the same input on MXNet 1.9.1
roofline   22.4 times: this machine can move and compute as much in that time
forward    1.83 times: the forward pass of the same input

Measure it again: python _contrib_interleaved_matmul_encdec_qk-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.18 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_interleaved_matmul_encdec_qk",
    category="attention",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_interleaved_matmul_encdec_qk/f74b963a", profile="finding")
def both():
    return dict(
        queries=tensor((1, 4, 378), "float32", uniform(-1.0, 1.0)),
        keys_values=tensor((1, 4, 756), "float32", uniform(-1.0, 1.0)),
        heads=3,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.18, threads=1, sides=sides))
