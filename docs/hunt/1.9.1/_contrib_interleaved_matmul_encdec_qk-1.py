"""_contrib_interleaved_matmul_encdec_qk, forward, on MXNet 1.9.1: 6.10 times as slow as a neighbour that does equal work.

slow       229 us a call, where 37.6 us were expected
fast       26.2 us a call
step       keys_values.shape[1] of 1 and keys_values.shape[0] of 256
ratio      6.10 times, 95% interval 5.94 to 6.25, with 1 thread
family     heads >= 8 and queries.shape[0] <= 1 and queries.shape[2] >= 28 and keys_values.shape[0] <= 1 and
           keys_values.shape[2] >= 56
neighbour  6.09 times: keys_values.shape[1] of 1 and keys_values.shape[0] of 256 takes 16% of the time
model      3.93 times: half of 137 other inputs lie within a factor of 1.07 of it
roofline   11.1 times: this machine can move and compute as much in that time

Measure it again: python _contrib_interleaved_matmul_encdec_qk-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.54 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_interleaved_matmul_encdec_qk",
    category="attention",
    mxnet="1.9.1",
    seed=1,
)


@case("_contrib_interleaved_matmul_encdec_qk/aa00647e", profile="finding")
def slow():
    return dict(
        queries=tensor((1, 256, 28), "float32", uniform(-1.0, 1.0)),
        keys_values=tensor((1, 256, 56), "float32", uniform(-1.0, 1.0)),
        heads=8,
    )


@case("_contrib_interleaved_matmul_encdec_qk/423442c5", profile="contrast")
def fast():
    return dict(
        queries=tensor((1, 1, 28), "float32", uniform(-1.0, 1.0)),
        keys_values=tensor((256, 1, 56), "float32", uniform(-1.0, 1.0)),
        heads=8,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.54, threads=1))
