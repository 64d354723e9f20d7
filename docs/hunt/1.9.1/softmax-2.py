"""softmax, forward, on MXNet 1.9.1: 5.04 times as slow as a neighbour that does equal work.

slow       200 us a call, where 41.2 us were expected
fast       41.2 us a call
step       no temperature
ratio      5.04 times, 95% interval 4.74 to 5.57, with 1 thread
family     temperature is given, and float32, and the last dimension is 256 or more, and 8,191 elements or
           more, and use_length=False
neighbour  5.04 times: no temperature
roofline   16.3 times: this machine can move and compute as much in that time

Measure it again: python softmax-2.py
It times both interleaved, and exits with 1 if slow takes more than 2.24 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="softmax",
    category="activation",
    mxnet="1.9.1",
    seed=5,
)


@case("softmax/6c8fb6a3", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
        temperature=2.0,
    )


@case("softmax/02893a93", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.24, threads=1))
