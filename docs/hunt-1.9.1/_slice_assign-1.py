"""_slice_assign, forward, on MXNet 1.9.1: 2.24 times as slow as a neighbour that does equal work.

slow       821 us a call, where 360 us were expected
fast       360 us a call
step       axes 0 and 1 exchanged
ratio      2.24 times, 95% interval 1.98 to 2.43, with 1 thread
family     begin[-1] is 256 or more, and int64 or float64
neighbour  2.24 times: axes 0 and 1 exchanged
model      2.05 times: half of 19 other inputs lie within a factor of 1.39 of it

Measure it again: python _slice_assign-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.5 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="_slice_assign",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_slice_assign/e610ea85", profile="finding", in_place=("lhs",))
def slow():
    return dict(
        lhs=tensor((1024, 1024), "int64", integers(0, 10)),
        rhs=tensor((1023, 512), "int64", integers(0, 10)),
        begin=(1, 256),
        end=(None, 768),
        step=(1, 1),
    )


@case("_slice_assign/1baad4bd", profile="contrast", in_place=("lhs",))
def fast():
    return dict(
        lhs=tensor((1024, 1024), "int64", integers(0, 10)),
        rhs=tensor((512, 1023), "int64", integers(0, 10)),
        begin=(256, 1),
        end=(768, None),
        step=(1, 1),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.5, threads=1))
