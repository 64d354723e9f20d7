"""_contrib_interleaved_matmul_encdec_valatt, forward: 27.8 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       494 us a call, where 18.4 us were expected
fast       18.4 us a call
step       the same input on MXNet 1.9.1
ratio      27.8 times, 95% interval 25.3 to 29.7, with 1 thread
family     every input
also       backward, 22.4 times
side       27.8 times: the same input on MXNet 1.9.1
roofline   41.9 times: this machine can move and compute as much in that time

Measure it again: python _contrib_interleaved_matmul_encdec_valatt-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 5.27 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, probabilities, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_interleaved_matmul_encdec_valatt",
    category="attention",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_interleaved_matmul_encdec_valatt/a8883581", profile="finding")
def both():
    return dict(
        keys_values=tensor((1, 8, 2), "float32", uniform(-1.0, 1.0)),
        attention=tensor((48, 1, 1), "float32", probabilities()),
        heads=6,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=5.27, threads=1, sides=sides))
