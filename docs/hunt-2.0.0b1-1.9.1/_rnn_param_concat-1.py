"""_rnn_param_concat, forward: 6.89 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       178 us a call, where 26.3 us were expected
fast       26.3 us a call
step       the same input on MXNet 1.9.1
ratio      6.89 times, 95% interval 6.63 to 7.12, with 1 thread
family     dim is not the last, and int64 or float32, and the last dimension of data is 8 or more
side       6.89 times: the same input on MXNet 1.9.1
roofline   11.8 times: this machine can move and compute as much in that time

Measure it again: python _rnn_param_concat-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 2.62 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_rnn_param_concat",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_rnn_param_concat/8ef79d7f", profile="finding")
def both():
    return dict(
        data=[tensor((1, 32), "int64", integers(0, 10)), tensor((512, 32), "int64", integers(0, 10))],
        dim=0,
        num_args=2,
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="forward", above=2.62, threads=1, sides=sides))
