"""reverse, forward, on MXNet 2.0.0b1: 5.19 times as slow as a neighbour that does equal work.

slow       179 us a call, where 35.1 us were expected
fast       35.1 us a call
step       _copy: both read and write each element once
ratio      5.19 times, 95% interval 4.92 to 6.08, with 1 thread
family     every input
also       backward, 3.64 times
neighbour  5.19 times: _copy: both read and write each element once
roofline   11.7 times: this machine can move and compute as much in that time
kin        8.33 times: _copy of the same input

Measure it again: python reverse-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.28 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="reverse",
    category="array",
    mxnet="2.0.0b1",
    seed=0,
)


@case("reverse/79bf31f4", profile="finding")
def slow():
    return dict(
        data=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_copy/1217b293", profile="contrast", operator="_copy")
def fast():
    return dict(
        data=tensor((128, 256), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.28, threads=1))
