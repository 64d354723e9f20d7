"""argmin, forward, on MXNet 1.9.1: 7.38 times as slow as a neighbour that does equal work.

slow       142 us a call, where 19.3 us were expected
fast       19.3 us a call
step       int32: as many elements, 2 times the bytes
ratio      7.38 times, 95% interval 7.22 to 7.50, with 1 thread
family     float16
neighbour  7.38 times: int32: as many elements, 2 times the bytes
model      4.62 times: half of 24 other inputs lie within a factor of 1.11 of it
roofline   9.12 times: this machine can move and compute as much in that time
kin        3.16 times: topk(k=1, is_ascend=True) of the same input

Measure it again: python argmin-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.72 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmin",
    category="sorting",
    mxnet="1.9.1",
    seed=0,
)


@case("argmin/2834de1e", profile="finding")
def slow():
    return dict(
        data=tensor((4096,), "float16", uniform(-1.0, 1.0)),
    )


@case("argmin/9740065a", profile="contrast")
def fast():
    return dict(
        data=tensor((4096,), "int32", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.72, threads=1))
