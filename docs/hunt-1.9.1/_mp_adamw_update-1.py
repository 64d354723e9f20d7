"""_mp_adamw_update, forward, on MXNet 1.9.1: 2.44 times as slow as a neighbour that does equal work.

slow       99.1 us a call, where 39.8 us were expected
fast       39.8 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.44 times, 95% interval 2.32 to 2.56, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.44 times: float32: as many elements, 2 times the bytes
roofline   6.10 times: this machine can move and compute as much in that time

Measure it again: python _mp_adamw_update-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.56 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, constant, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_mp_adamw_update",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("_mp_adamw_update/eba3c497", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((8, 512), "float16", uniform(-1.0, 1.0)),
        grad=tensor((8, 512), "float16", uniform(-0.1, 0.1)),
        mean=tensor((8, 512), "float32", constant(0.0)),
        var=tensor((8, 512), "float32", constant(0.0)),
        weight32=tensor((8, 512), "float32", uniform(-1.0, 1.0)),
        rescale_grad=tensor((1,), "float32", constant(1.0)),
        eta=1.0,
        lr=0.01,
    )


@case("_mp_adamw_update/7310b827", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((8, 512), "float32", uniform(-1.0, 1.0)),
        grad=tensor((8, 512), "float32", uniform(-0.1, 0.1)),
        mean=tensor((8, 512), "float32", constant(0.0)),
        var=tensor((8, 512), "float32", constant(0.0)),
        weight32=tensor((8, 512), "float32", uniform(-1.0, 1.0)),
        rescale_grad=tensor((1,), "float32", constant(1.0)),
        eta=1.0,
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.56, threads=1))
