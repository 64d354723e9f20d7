"""cast_storage, forward, on MXNet 1.9.1: 2.78 times as slow as a neighbour that does equal work.

slow       87.7 us a call, where 31.2 us were expected
fast       31.2 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.78 times, 95% interval 2.68 to 2.85, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  2.78 times: int32: as many elements, 2 times the bytes
roofline   5.52 times: this machine can move and compute as much in that time

Measure it again: python cast_storage-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.67 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="cast_storage",
    category="sparse",
    mxnet="1.9.1",
    seed=0,
)


@case("cast_storage/6f99ed7a", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 10), "float16", uniform(-1.0, 1.0)),
        stype="csr",
    )


@case("cast_storage/2a35c350", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 10), "int32", integers(0, 10)),
        stype="csr",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.67, threads=1))
