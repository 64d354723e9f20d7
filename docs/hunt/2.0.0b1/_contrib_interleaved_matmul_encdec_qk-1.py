"""_contrib_interleaved_matmul_encdec_qk, backward, on MXNet 2.0.0b1: 3.70 times as slow as a neighbour that does equal work.

slow       876 us a call, where 239 us were expected
fast       215 us a call
step       keys_values.shape[1] of 1 and keys_values.shape[0] of 364
ratio      3.70 times, 95% interval 3.65 to 3.77, with 1 thread
family     heads=5 and queries.shape[0] == 11 and queries.shape[1] >= 28 and queries.shape[2] >= 10 and
           keys_values.shape[0] >= 13 and keys_values.shape[2] >= 20
neighbour  3.67 times: keys_values.shape[1] of 1 and keys_values.shape[0] of 364 takes 27% of the time
model      5.05 times: half of 24 other inputs lie within a factor of 1.12 of it
roofline   38.9 times: this machine can move and compute as much in that time
forward    2.28 times: the forward pass of the same input

Measure it again: python _contrib_interleaved_matmul_encdec_qk-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.13 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_interleaved_matmul_encdec_qk",
    category="attention",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_contrib_interleaved_matmul_encdec_qk/5c3741e5", profile="finding")
def slow():
    return dict(
        queries=tensor((11, 28, 10), "float32", uniform(-1.0, 1.0)),
        keys_values=tensor((13, 28, 20), "float32", uniform(-1.0, 1.0)),
        heads=5,
    )


@case("_contrib_interleaved_matmul_encdec_qk/f6b3abe7", profile="contrast")
def fast():
    return dict(
        queries=tensor((11, 1, 10), "float32", uniform(-1.0, 1.0)),
        keys_values=tensor((364, 1, 20), "float32", uniform(-1.0, 1.0)),
        heads=5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=2.13, threads=1))
