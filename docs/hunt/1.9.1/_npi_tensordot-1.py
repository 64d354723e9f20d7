"""_npi_tensordot, backward, on MXNet 1.9.1: 2.26 times as slow as a neighbour that does equal work.

slow       309 us a call, where 136 us were expected
fast       136 us a call
step       a.shape[0] of 1 and a.shape[1] of 9
ratio      2.26 times, 95% interval 2.22 to 2.31, with 1 thread
family     a_axes_summed=(0, 2) and b_axes_summed=(1, 2) and a.shape[1] <= 1 and b.shape[3] <= 256
neighbour  2.26 times: a.shape[0] of 1 and a.shape[1] of 9 takes 44% of the time
model      2.46 times: half of 32 other inputs lie within a factor of 1.18 of it
roofline   16.5 times: this machine can move and compute as much in that time
forward    2.97 times: the forward pass of the same input

Measure it again: python _npi_tensordot-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_tensordot",
    category="gemm",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_tensordot/dfd94f7c", profile="finding")
def slow():
    return dict(
        a=tensor((9, 1, 1), "float32", uniform(-1.0, 1.0)),
        b=tensor((4, 9, 1, 256), "float32", uniform(-1.0, 1.0)),
        a_axes_summed=(0, 2),
        b_axes_summed=(1, 2),
    )


@case("_npi_tensordot/12103449", profile="contrast")
def fast():
    return dict(
        a=tensor((1, 9, 1), "float32", uniform(-1.0, 1.0)),
        b=tensor((4, 1, 1, 256), "float32", uniform(-1.0, 1.0)),
        a_axes_summed=(0, 2),
        b_axes_summed=(1, 2),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.5, threads=1))
