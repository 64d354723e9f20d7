"""_linalg_potrf, forward: 1.98 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       91.5 us a call, where 45.4 us were expected
fast       45.4 us a call
step       the same input on MXNet 1.9.1
ratio      1.98 times, 95% interval 1.87 to 2.11, with 1 thread
family     this input; no family of it holds on fresh draws
side       1.98 times: the same input on MXNet 1.9.1
roofline   7.70 times: this machine can move and compute as much in that time

Measure it again: python _linalg_potrf-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.41 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, matrices, tensor

SUITE = Suite(
    format=1,
    operator="_linalg_potrf",
    category="linalg",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_linalg_potrf/68e50df2", profile="finding")
def both():
    return dict(
        A=tensor((1024, 1, 1), "float32", matrices("positive_definite")),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.41, threads=1, sides=sides))
