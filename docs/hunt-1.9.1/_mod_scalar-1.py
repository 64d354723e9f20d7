"""_mod_scalar, backward, on MXNet 1.9.1: 3.07 times as slow as a neighbour that does equal work.

slow       135 us a call, where 43.1 us were expected
fast       43.1 us a call
step       float64: as many elements, 4 times the bytes
ratio      3.07 times, 95% interval 2.94 to 3.18, with 1 thread
family     float16
also       forward, 2.27 times
neighbour  3.07 times: float64: as many elements, 4 times the bytes
roofline   8.37 times: this machine can move and compute as much in that time

Measure it again: python _mod_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.75 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_mod_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_mod_scalar/576d75a3", profile="finding")
def slow():
    return dict(
        data=tensor((16384,), "float16", uniform(-1.0, 1.0)),
    )


@case("_mod_scalar/139c9bf9", profile="contrast")
def fast():
    return dict(
        data=tensor((16384,), "float64", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.75, threads=1))
