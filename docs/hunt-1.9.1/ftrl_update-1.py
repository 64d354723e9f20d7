"""ftrl_update, forward, on MXNet 1.9.1: 8.99 times as slow as a neighbour that does equal work.

slow       163 us a call, where 18.2 us were expected
fast       18.2 us a call
step       float32: as many elements, 2 times the bytes
ratio      8.99 times, 95% interval 8.62 to 9.41, with 1 thread
family     float16
neighbour  8.99 times: float32: as many elements, 2 times the bytes
roofline   10.5 times: this machine can move and compute as much in that time

Measure it again: python ftrl_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.0 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="ftrl_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("ftrl_update/795f60ab", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512,), "float16", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float16", uniform(-0.1, 0.1)),
        z=tensor((512,), "float16", constant(0.0)),
        n=tensor((512,), "float16", constant(0.0)),
        lr=0.01,
    )


@case("ftrl_update/8f8855b3", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512,), "float32", uniform(-1.0, 1.0)),
        grad=tensor((512,), "float32", uniform(-0.1, 0.1)),
        z=tensor((512,), "float32", constant(0.0)),
        n=tensor((512,), "float32", constant(0.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.0, threads=1))
