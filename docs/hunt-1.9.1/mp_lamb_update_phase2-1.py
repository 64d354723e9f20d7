"""mp_lamb_update_phase2, forward, on MXNet 1.9.1: 2.09 times as slow as a neighbour that does equal work.

slow       1,020 us a call, where 447 us were expected
fast       447 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.09 times, 95% interval 1.96 to 2.21, with 1 thread
family     float16
neighbour  2.09 times: float32: as many elements, 2 times the bytes
roofline   20.5 times: this machine can move and compute as much in that time

Measure it again: python mp_lamb_update_phase2-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.45 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="mp_lamb_update_phase2",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("mp_lamb_update_phase2/f99f67e1", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((512, 512), "float16", uniform(-1.0, 1.0)),
        g=tensor((512, 512), "float32", uniform(-0.1, 0.1)),
        r1=tensor((1,), "float32", uniform(0.5, 2.0)),
        r2=tensor((1,), "float32", uniform(0.5, 2.0)),
        weight32=tensor((512, 512), "float32", uniform(-1.0, 1.0)),
        lr=0.01,
    )


@case("mp_lamb_update_phase2/a2c355c9", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((512, 512), "float32", uniform(-1.0, 1.0)),
        g=tensor((512, 512), "float32", uniform(-0.1, 0.1)),
        r1=tensor((1,), "float32", uniform(0.5, 2.0)),
        r2=tensor((1,), "float32", uniform(0.5, 2.0)),
        weight32=tensor((512, 512), "float32", uniform(-1.0, 1.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.45, threads=1))
