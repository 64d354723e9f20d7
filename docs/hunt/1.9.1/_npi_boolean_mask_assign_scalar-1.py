"""_npi_boolean_mask_assign_scalar, forward, on MXNet 1.9.1: 84.9 times as slow as a neighbour that does equal work.

slow       6,702 us a call, where 82.9 us were expected
fast       73.7 us a call
step       data.shape[1] of 1 and data.shape[2] of 12,762
ratio      84.9 times, 95% interval 80.0 to 91.5, with 1 thread
family     value=-2.5 and data.shape[0] >= 11 and data.shape[1] >= 12,762
neighbour  80.9 times: data.shape[1] of 1 and data.shape[2] of 12,762 takes 1% of the time
roofline   105 times: this machine can move and compute as much in that time

Measure it again: python _npi_boolean_mask_assign_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 10.4 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_boolean_mask_assign_scalar",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_boolean_mask_assign_scalar/49a38d44", profile="finding", in_place=("data",))
def slow():
    return dict(
        data=tensor((11, 12762, 1), "float32", uniform(-1.0, 1.0)),
        mask=tensor((11, 12762), "bool", literal(1.0)),
        start_axis=0,
        value=-2.5,
    )


@case("_npi_boolean_mask_assign_scalar/d8c8a7b8", profile="contrast", in_place=("data",))
def fast():
    return dict(
        data=tensor((11, 1, 12762), "float32", uniform(-1.0, 1.0)),
        mask=tensor((11, 1), "bool", literal(1.0)),
        start_axis=0,
        value=-2.5,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=10.4, threads=1))
