"""_contrib_interleaved_matmul_encdec_qk, backward: 5.92 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       280 us a call, where 48.4 us were expected
fast       48.4 us a call
step       the same input on MXNet 1.9.1
ratio      5.92 times, 95% interval 5.67 to 6.16, with 1 thread
family     every input
also       forward, 9.30 times
side       5.92 times: the same input on MXNet 1.9.1
roofline   18.7 times: this machine can move and compute as much in that time
forward    2.00 times: the forward pass of the same input

Measure it again: python _contrib_interleaved_matmul_encdec_qk-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.43 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_interleaved_matmul_encdec_qk",
    category="attention",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_interleaved_matmul_encdec_qk/b77d641a", profile="finding")
def both():
    return dict(
        queries=tensor((1, 7, 4), "float32", uniform(-1.0, 1.0)),
        keys_values=tensor((1, 7, 8), "float32", uniform(-1.0, 1.0)),
        heads=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=2.43, threads=1, sides=sides))
