"""lamb_update_phase2, forward, on MXNet 1.9.1: 7.72 times as slow as a neighbour that does equal work.

slow       132 us a call, where 16.5 us were expected
fast       16.5 us a call
step       float32: as many elements, 2 times the bytes
ratio      7.72 times, 95% interval 7.30 to 8.11, with 1 thread
family     float16
neighbour  7.72 times: float32: as many elements, 2 times the bytes
roofline   8.47 times: this machine can move and compute as much in that time

Measure it again: python lamb_update_phase2-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="lamb_update_phase2",
    category="optimizer",
    mxnet="1.9.1",
    seed=0,
)


@case("lamb_update_phase2/b7838936", profile="finding", in_place=("weight",))
def slow():
    return dict(
        weight=tensor((2048,), "float16", uniform(-1.0, 1.0)),
        g=tensor((2048,), "float16", uniform(-0.1, 0.1)),
        r1=tensor((1,), "float16", uniform(0.5, 2.0)),
        r2=tensor((1,), "float16", uniform(0.5, 2.0)),
        lr=0.01,
    )


@case("lamb_update_phase2/26458181", profile="contrast", in_place=("weight",))
def fast():
    return dict(
        weight=tensor((2048,), "float32", uniform(-1.0, 1.0)),
        g=tensor((2048,), "float32", uniform(-0.1, 0.1)),
        r1=tensor((1,), "float32", uniform(0.5, 2.0)),
        r2=tensor((1,), "float32", uniform(0.5, 2.0)),
        lr=0.01,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.78, threads=1))
