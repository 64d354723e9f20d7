"""_np_roll, backward, on MXNet 1.9.1: 2.13 times as slow as a neighbour that does equal work.

slow       1,071 us a call, where 511 us were expected
fast       511 us a call
step       data.shape[0] of 256 and data.shape[1] of 256
ratio      2.13 times, 95% interval 2.00 to 2.74, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
also       forward, 2.29 times
neighbour  2.13 times: data.shape[0] of 256 and data.shape[1] of 256
roofline   39.8 times: this machine can move and compute as much in that time
forward    1.74 times: the forward pass of the same input

Measure it again: python _np_roll-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_np_roll",
    category="array",
    mxnet="1.9.1",
    seed=0,
)


@case("_np_roll/bc4d57f0", profile="finding")
def slow():
    return dict(
        data=tensor((65536, 1), "float64", uniform(-1.0, 1.0)),
        axis=(1,),
        shift=(5,),
    )


@case("_np_roll/5b69bc55", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 256), "float64", uniform(-1.0, 1.0)),
        axis=(1,),
        shift=(5,),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
