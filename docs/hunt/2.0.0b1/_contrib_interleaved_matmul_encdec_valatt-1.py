"""_contrib_interleaved_matmul_encdec_valatt, backward, on MXNet 2.0.0b1: 18.7 times as slow as a neighbour that does equal work.

slow       2,413 us a call, where 131 us were expected
fast       98.5 us a call
step       keys_values.shape[1] of 1 and keys_values.shape[2] of 1,154
ratio      18.7 times, 95% interval 18.2 to 19.2, with 1 thread
family     heads=1 and keys_values.shape[1] >= 577 and keys_values.shape[2] >= 2
neighbour  18.4 times: keys_values.shape[1] of 1 and keys_values.shape[2] of 1,154 takes 5% of the time
model      20.8 times: half of 24 other inputs lie within a factor of 1.13 of it
roofline   132 times: this machine can move and compute as much in that time
forward    1.98 times: the forward pass of the same input

Measure it again: python _contrib_interleaved_matmul_encdec_valatt-1.py
It times both interleaved, and exits with 1 if slow takes more than 5.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, probabilities, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_interleaved_matmul_encdec_valatt",
    category="attention",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_interleaved_matmul_encdec_valatt/638f6d00", profile="finding")
def slow():
    return dict(
        keys_values=tensor((1, 577, 2), "float32", uniform(-1.0, 1.0)),
        attention=tensor((577, 1, 1), "float32", probabilities()),
        heads=1,
    )


@case("_contrib_interleaved_matmul_encdec_valatt/bb59641d", profile="contrast")
def fast():
    return dict(
        keys_values=tensor((1, 1, 1154), "float32", uniform(-1.0, 1.0)),
        attention=tensor((1, 1, 1), "float32", probabilities()),
        heads=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=5.76, threads=1))
