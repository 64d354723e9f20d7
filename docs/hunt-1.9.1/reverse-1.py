"""reverse, forward, on MXNet 1.9.1: 4.24 times as slow as a neighbour that does equal work.

slow       156 us a call, where 37.7 us were expected
fast       37.7 us a call
step       _copy: both read and write each element once
ratio      4.24 times, 95% interval 4.05 to 4.44, with 1 thread
family     every input
also       backward, 3.07 times
neighbour  4.24 times: _copy: both read and write each element once
roofline   8.55 times: this machine can move and compute as much in that time
kin        5.32 times: _copy of the same input

Measure it again: python reverse-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.06 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="reverse",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("reverse/0920fa10", profile="finding")
def slow():
    return dict(
        data=tensor((256, 128), "float32", uniform(-1.0, 1.0)),
        axis=(1,),
    )


@case("_copy/78e96843", profile="contrast", operator="_copy")
def fast():
    return dict(
        data=tensor((256, 128), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.06, threads=1))
