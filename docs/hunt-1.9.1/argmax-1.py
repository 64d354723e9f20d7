"""argmax, forward, on MXNet 1.9.1: 9.30 times as slow as a neighbour that does equal work.

slow       371 us a call, where 40.8 us were expected
fast       40.8 us a call
step       int64: as many elements, 4 times the bytes
ratio      9.30 times, 95% interval 8.55 to 9.88, with 1 thread
family     float16
neighbour  9.30 times: int64: as many elements, 4 times the bytes
model      6.52 times: half of 40 other inputs lie within a factor of 1.07 of it
roofline   31.8 times: this machine can move and compute as much in that time
kin        3.00 times: topk(k=1) of the same input

Measure it again: python argmax-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.05 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="argmax",
    category="sorting",
    mxnet="1.9.1",
    seed=0,
)


@case("argmax/aa0f076f", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("argmax/755d8b68", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "int64", integers(0, 10)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.05, threads=1))
