"""_slice_assign_scalar, forward, on MXNet 1.9.1: 3.98 times as slow as a neighbour that does equal work.

slow       92.9 us a call, where 23.2 us were expected
fast       23.2 us a call
step       axes 0 and 1 made one
ratio      3.98 times, 95% interval 3.77 to 4.11, with 1 thread
family     begin=(None,) and end=(None,) and dtype is float32 or int32 or int64 or int8 or uint8 and
           data.shape[-1] <= 1
neighbour  4.00 times: axes 0 and 1 made one takes 25% of the time
model      1.94 times: half of 63 other inputs lie within a factor of 1.12 of it
roofline   4.22 times: this machine can move and compute as much in that time

Measure it again: python _slice_assign_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.99 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_slice_assign_scalar",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("_slice_assign_scalar/a2e42fa4", profile="finding", in_place=("data",))
def slow():
    return dict(
        data=tensor((16384, 1), "float32", uniform(-1.0, 1.0)),
        begin=(None,),
        end=(None,),
    )


@case("_slice_assign_scalar/ab57d562", profile="contrast", in_place=("data",))
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
        begin=(None,),
        end=(None,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.99, threads=1))
