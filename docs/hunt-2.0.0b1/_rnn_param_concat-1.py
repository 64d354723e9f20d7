"""_rnn_param_concat, forward, on MXNet 2.0.0b1: 4.19 times as slow as a neighbour that does equal work.

slow       139 us a call, where 42.3 us were expected
fast       42.3 us a call
step       dim=1
ratio      4.19 times, 95% interval 3.99 to 4.23, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.19 times: dim=1
roofline   7.46 times: this machine can move and compute as much in that time

Measure it again: python _rnn_param_concat-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.05 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_rnn_param_concat",
    category="join_split",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_rnn_param_concat/ee7f9583", profile="finding")
def slow():
    return dict(
        data=[tensor((256, 256), "float32", uniform(-1.0, 1.0))],
        dim=0,
        num_args=1,
    )


@case("_rnn_param_concat/700cc584", profile="contrast")
def fast():
    return dict(
        data=[tensor((256, 256), "float32", uniform(-1.0, 1.0))],
        dim=1,
        num_args=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.05, threads=1))
