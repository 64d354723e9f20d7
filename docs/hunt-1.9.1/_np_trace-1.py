"""_np_trace, backward, on MXNet 1.9.1: 2.20 times as slow as a neighbour that does equal work.

slow       333 us a call, where 152 us were expected
fast       152 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.20 times, 95% interval 2.17 to 2.39, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.35 times
neighbour  2.20 times: float32: as many elements, 2 times the bytes
roofline   8.69 times: this machine can move and compute as much in that time
forward    7.46 times: the forward pass of the same input

Measure it again: python _np_trace-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.48 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_trace",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_trace/79d8984c", profile="finding")
def slow():
    return dict(
        data=tensor((1024, 1024), "float16", uniform(-1.0, 1.0)),
    )


@case("_np_trace/534afeb2", profile="contrast")
def fast():
    return dict(
        data=tensor((1024, 1024), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.48, threads=1))
