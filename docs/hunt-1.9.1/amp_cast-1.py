"""amp_cast, forward, on MXNet 1.9.1: 3.10 times as slow as a neighbour that does equal work.

slow       108 us a call, where 34.0 us were expected
fast       34.0 us a call
step       int32: as many elements, as many bytes
ratio      3.10 times, 95% interval 2.91 to 3.20, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  3.10 times: int32: as many elements, as many bytes
roofline   5.46 times: this machine can move and compute as much in that time

Measure it again: python amp_cast-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.76 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="amp_cast",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("amp_cast/0257660a", profile="finding")
def slow():
    return dict(
        data=tensor((65536,), "float32", uniform(-1.0, 1.0)),
        dtype="float16",
    )


@case("amp_cast/912c2bdd", profile="contrast")
def fast():
    return dict(
        data=tensor((65536,), "int32", integers(0, 10)),
        dtype="float16",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.76, threads=1))
