"""_slice_assign_scalar, forward, on MXNet 1.9.1: 4.79 times as slow as a neighbour that does equal work.

slow       110 us a call, where 23.0 us were expected
fast       23.0 us a call
step       axes 1 and 2 exchanged
ratio      4.79 times, 95% interval 4.26 to 4.86, with 1 thread
family     begin=(1,) and end=(12,) and data.shape[1] > 1 and data.shape[2] < 4,096
neighbour  4.77 times: axes 1 and 2 exchanged takes 21% of the time
model      2.46 times: half of 91 other inputs lie within a factor of 1.09 of it
roofline   4.99 times: this machine can move and compute as much in that time

Measure it again: python _slice_assign_scalar-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.19 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_slice_assign_scalar",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("_slice_assign_scalar/97b40aa0", profile="finding", in_place=("data",))
def slow():
    return dict(
        data=tensor((4, 4096, 1), "float32", uniform(-1.0, 1.0)),
        begin=(1,),
        end=(12,),
    )


@case("_slice_assign_scalar/800077d4", profile="contrast", in_place=("data",))
def fast():
    return dict(
        data=tensor((4, 1, 4096), "float32", uniform(-1.0, 1.0)),
        begin=(1,),
        end=(12,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.19, threads=1))
