"""_contrib_div_sqrt_dim, forward, on MXNet 2.0.0b1: 13.2 times as slow as a neighbour that does equal work.

slow       252 us a call, where 19.0 us were expected
fast       19.0 us a call
step       float32: as many elements, 2 times the bytes
ratio      13.2 times, 95% interval 12.9 to 13.3, with 1 thread
family     this input; no family of it holds on fresh draws
also       backward, 5.84 times
neighbour  13.2 times: float32: as many elements, 2 times the bytes
roofline   18.5 times: this machine can move and compute as much in that time

Measure it again: python _contrib_div_sqrt_dim-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.64 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_contrib_div_sqrt_dim",
    category="activation",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_contrib_div_sqrt_dim/2e0b9d07", profile="finding")
def slow():
    return dict(
        data=tensor((32768,), "float16", uniform(-1.0, 1.0)),
    )


@case("_contrib_div_sqrt_dim/3eec4e04", profile="contrast")
def fast():
    return dict(
        data=tensor((32768,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.64, threads=1))
