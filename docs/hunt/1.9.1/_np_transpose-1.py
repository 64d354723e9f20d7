"""_np_transpose, backward, on MXNet 1.9.1: 2.93 times as slow as a neighbour that does equal work.

slow       3,855 us a call, where 1,317 us were expected
fast       1,317 us a call
step       a.shape[0] of 1 and a.shape[1] of 1,047,552
ratio      2.93 times, 95% interval 2.90 to 2.96, with 1 thread
family     a.shape[0] > 1 and a.shape[1] < 1,047,552
neighbour  2.93 times: a.shape[0] of 1 and a.shape[1] of 1,047,552 takes 34% of the time
roofline   11.9 times: this machine can move and compute as much in that time
forward    1.73 times: the forward pass of the same input
kin        1.51 times: transpose of the same input

Measure it again: python _np_transpose-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.71 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_transpose",
    category="array",
    mxnet="1.9.1",
    seed=1,
)


@case("_np_transpose/65547acb", profile="finding")
def slow():
    return dict(
        a=tensor((1023, 1024), "float32", uniform(-1.0, 1.0)),
    )


@case("_np_transpose/64a18328", profile="contrast")
def fast():
    return dict(
        a=tensor((1, 1047552), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.71, threads=1))
