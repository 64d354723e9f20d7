"""_contrib_index_copy, backward: 1.93 times as slow on MXNet 2.0.0b1 as on MXNet 1.9.1.

slow       1,173 us a call, where 630 us were expected
fast       630 us a call
step       the same input on MXNet 1.9.1
ratio      1.93 times, 95% interval 1.76 to 2.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
side       1.93 times: the same input on MXNet 1.9.1
roofline   15.2 times: this machine can move and compute as much in that time
forward    4.59 times: the forward pass of the same input

Measure it again: python _contrib_index_copy-1.py
It needs MXNet 2.0.0b1 and MXNet 1.9.1, times both sides in turn, and exits with 1
if the first of `sides` takes more than 1.39 times as long as the second, else with 0.
"""

from autoperf.bench import Suite, case, contrast, distinct, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_index_copy",
    category="indexing",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_index_copy/7918ab50", profile="finding")
def both():
    return dict(
        old_tensor=tensor((1024, 1024), "float16", uniform(-1.0, 1.0)),
        index_vector=tensor((512,), "int64", distinct(1024)),
        new_tensor=tensor((512, 1024), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    sides = ({"mxnet": "2.0.0b1"}, {"mxnet": "1.9.1"})
    raise SystemExit(contrast(__file__, both, both, pass_="backward", above=1.39, threads=1, sides=sides))
