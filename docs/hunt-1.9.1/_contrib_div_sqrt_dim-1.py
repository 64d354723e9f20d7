"""_contrib_div_sqrt_dim, forward, on MXNet 1.9.1: 5.85 times as slow as a neighbour that does equal work.

slow       167 us a call, where 28.1 us were expected
fast       28.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      5.85 times, 95% interval 5.36 to 6.23, with 1 thread
family     float16
also       backward, 3.76 times
neighbour  5.85 times: float32: as many elements, 2 times the bytes
roofline   10.3 times: this machine can move and compute as much in that time

Measure it again: python _contrib_div_sqrt_dim-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.42 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_div_sqrt_dim",
    category="activation",
    mxnet="1.9.1",
    seed=0,
)


@case("_contrib_div_sqrt_dim/093ef815", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_div_sqrt_dim/6e6c33e7", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.42, threads=1))
