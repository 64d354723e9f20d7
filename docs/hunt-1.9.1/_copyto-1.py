"""_copyto, forward, on MXNet 1.9.1: 3.35 times as slow as a neighbour that does equal work.

slow       96.2 us a call, where 29.1 us were expected
fast       29.1 us a call
step       float16: as many elements, 2 times the bytes
ratio      3.35 times, 95% interval 3.21 to 3.48, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  3.35 times: float16: as many elements, 2 times the bytes
roofline   4.85 times: this machine can move and compute as much in that time

Measure it again: python _copyto-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.83 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_copyto",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("_copyto/6518b5dd", profile="finding", in_place=("out",))
def slow():
    return dict(
        data=tensor((200704,), "int8", integers(0, 10)),
        out=tensor((200704,), "int8", integers(0, 10)),
    )


@case("_copyto/04a5c890", profile="contrast", in_place=("out",))
def fast():
    return dict(
        data=tensor((200704,), "float16", uniform(-1.0, 1.0)),
        out=tensor((200704,), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.83, threads=1))
