"""topk, forward, on MXNet 2.0.0b1: 3.40 times as slow as a neighbour that does equal work.

slow       20,686 us a call, where 6,146 us were expected
fast       403 us a call
step       no k
ratio      3.40 times, 95% interval 3.15 to 3.81, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.40 times: no k
model      6.00 times: half of 68 other inputs lie within a factor of 1.51 of it
roofline   466 times: this machine can move and compute as much in that time

Measure it again: python topk-4.py
It times both interleaved, and exits with 1 if slow takes more than 28.1 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="topk",
    category="sorting",
    mxnet="2.0.0b1",
    seed=5,
)


@case("topk/f848ef53", profile="finding")
def slow():
    return dict(
        data=tensor((215040,), "float32", uniform(-1.0, 1.0)),
        k=38971,
        ret_typ="mask",
    )


@case("topk/ac0a208e", profile="contrast")
def fast():
    return dict(
        data=tensor((215040,), "float32", uniform(-1.0, 1.0)),
        ret_typ="mask",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=28.1, threads=1))
