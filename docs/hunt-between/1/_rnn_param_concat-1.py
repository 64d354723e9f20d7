"""_rnn_param_concat, forward: 7.21 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       480 us a call, where 65.4 us were expected
fast       65.4 us a call
step       the same input on MXNet 1.9.1
ratio      7.21 times, 95% interval 6.34 to 7.63, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       7.21 times: the same input on MXNet 1.9.1
roofline   11.0 times: this machine can move and compute as much in that time

Measure it again: python _rnn_param_concat-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.69 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_rnn_param_concat",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_rnn_param_concat/0ad8cdfa", profile="finding")
def both():
    return dict(
        data=[tensor((1, 512), "float32", uniform(-1.0, 1.0)), tensor((512, 512), "float32", uniform(-1.0, 1.0))],
        dim=0,
        num_args=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.69, threads=1, sides=sides))
