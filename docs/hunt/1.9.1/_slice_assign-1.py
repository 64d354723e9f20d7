"""_slice_assign, forward, on MXNet 1.9.1: 8.05 times as slow as a neighbour that does equal work.

slow       308 us a call, where 38.0 us were expected
fast       38.0 us a call
step       axes 1 and 2 exchanged
ratio      8.05 times, 95% interval 7.91 to 8.17, with 1 thread
family     begin=(9,) and end=(0,) and step=(-2,) and 10 <= lhs.shape[0] <= 40 and rhs.shape[0] >= 5 and
           lhs.shape[1] > 1 and lhs.shape[2] < 7,943 and rhs.shape[1] > 1 and rhs.shape[2] < 7,943
neighbour  8.09 times: axes 1 and 2 exchanged takes 12% of the time
model      5.24 times: half of 40 other inputs lie within a factor of 1.08 of it
roofline   6.63 times: this machine can move and compute as much in that time

Measure it again: python _slice_assign-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.84 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_slice_assign",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("_slice_assign/125f663c", profile="finding", in_place=("lhs",))
def slow():
    return dict(
        lhs=tensor((10, 7943, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((5, 7943, 1), "float32", uniform(-1.0, 1.0)),
        begin=(9,),
        end=(0,),
        step=(-2,),
    )


@case("_slice_assign/05ee1b68", profile="contrast", in_place=("lhs",))
def fast():
    return dict(
        lhs=tensor((10, 1, 7943), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((5, 1, 7943), "float32", uniform(-1.0, 1.0)),
        begin=(9,),
        end=(0,),
        step=(-2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.84, threads=1))
