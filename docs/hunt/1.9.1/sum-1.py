"""sum, forward, on MXNet 1.9.1: 11.2 times as slow as a neighbour that does equal work.

slow       296 us a call, where 26.8 us were expected
fast       26.8 us a call
step       axes 0 and 1 exchanged
ratio      11.2 times, 95% interval 10.9 to 11.5, with 1 thread
family     this input; no family of it holds on fresh draws
also       backward, 2.64 times
neighbour  11.2 times: axes 0 and 1 exchanged
model      4.03 times: half of 71 other inputs lie within a factor of 1.52 of it
roofline   13.0 times: this machine can move and compute as much in that time

Measure it again: python sum-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.35 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor

SUITE = Suite(
    format=1,
    operator="sum",
    category="reduction",
    mxnet="1.9.1",
    seed=5,
)


@case("sum/6191c27e", profile="finding")
def slow():
    return dict(
        data=tensor((256, 1024), "int64", integers(0, 10), storage="csr", density=0.05),
        axis=(0,),
    )


@case("sum/c329d0af", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 256), "int64", integers(0, 10), storage="csr", density=0.05),
        axis=(1,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.35, threads=1))
