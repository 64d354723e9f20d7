"""_grad_add, forward, on MXNet 1.9.1: 6.96 times as slow as a neighbour that does equal work.

slow       247 us a call, where 32.6 us were expected
fast       32.6 us a call
step       int32: as many elements, 2 times the bytes
ratio      6.96 times, 95% interval 6.41 to 7.43, with 1 thread
family     float16
neighbour  6.96 times: int32: as many elements, 2 times the bytes
roofline   15.0 times: this machine can move and compute as much in that time

Measure it again: python _grad_add-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_grad_add",
    category="elementwise",
    mxnet="1.9.1",
    seed=0,
)


@case("_grad_add/4ee688b9", profile="finding")
def slow():
    return dict(
        lhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_grad_add/15800075", profile="contrast")
def fast():
    return dict(
        lhs=tensor((16384,), "int32", uniform(-1.0, 1.0)),
        rhs=tensor((16384,), "int32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.64, threads=1))
