"""khatri_rao, forward: 1.94 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       88.1 us a call, where 45.2 us were expected
fast       45.2 us a call
step       the same input on MXNet 1.9.1
ratio      1.94 times, 95% interval 1.91 to 2.04, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.94 times: the same input on MXNet 1.9.1
roofline   6.56 times: this machine can move and compute as much in that time

Measure it again: python khatri_rao-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.39 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="khatri_rao",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("khatri_rao/7ddc6c4d", profile="finding")
def both():
    return dict(
        args=[tensor((16384, 1), "float32", uniform(-1.0, 1.0))],
        num_args=1,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=1.39, threads=1, sides=sides))
