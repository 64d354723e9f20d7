"""_slice_assign, forward, on MXNet 2.0.0b1: 15.7 times as slow as a neighbour that does equal work.

slow       513 us a call, where 32.5 us were expected
fast       32.5 us a call
step       axes 1 and 2 exchanged
ratio      15.7 times, 95% interval 15.0 to 16.1, with 1 thread
family     begin=(9,) and end=(0,) and step=(-2,) and 10 <= lhs.shape[0] <= 40 and rhs.shape[0] >= 5 and
           lhs.shape[1] > 1 and lhs.shape[2] < 4,096 and rhs.shape[1] > 1 and rhs.shape[2] < 4,096
neighbour  15.8 times: axes 1 and 2 exchanged takes 6% of the time
model      11.2 times: half of 40 other inputs lie within a factor of 1.10 of it
roofline   15.5 times: this machine can move and compute as much in that time

Measure it again: python _slice_assign-2.py
It times both interleaved, and exits with 1 if slow takes more than 3.97 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_slice_assign",
    category="indexing",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_slice_assign/ea2e5b28", profile="finding", in_place=("lhs",))
def slow():
    return dict(
        lhs=tensor((10, 4096, 1), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((5, 4096, 1), "float32", uniform(-1.0, 1.0)),
        begin=(9,),
        end=(0,),
        step=(-2,),
    )


@case("_slice_assign/e446fb35", profile="contrast", in_place=("lhs",))
def fast():
    return dict(
        lhs=tensor((10, 1, 4096), "float32", uniform(-1.0, 1.0)),
        rhs=tensor((5, 1, 4096), "float32", uniform(-1.0, 1.0)),
        begin=(9,),
        end=(0,),
        step=(-2,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.97, threads=1))
