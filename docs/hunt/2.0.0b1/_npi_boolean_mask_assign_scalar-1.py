"""_npi_boolean_mask_assign_scalar, forward, on MXNet 2.0.0b1: 4.10 times as slow as a neighbour that does equal work.

slow       88.4 us a call, where 21.6 us were expected
fast       21.6 us a call
step       axes 0 and 1 exchanged
ratio      4.10 times, 95% interval 4.01 to 4.16, with 1 thread
family     value=1.0 and dtype is float32 or float16 or int32 or int8 or uint8 and start_axis=1 and
           data.shape[0] > 14 and data.shape[1] < 4,096
neighbour  4.09 times: axes 0 and 1 exchanged takes 24% of the time
roofline   2.53 times: this machine can move and compute as much in that time

Measure it again: python _npi_boolean_mask_assign_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.03 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_boolean_mask_assign_scalar",
    category="indexing",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_boolean_mask_assign_scalar/1801cd82", profile="finding", in_place=("data",))
def slow():
    return dict(
        data=tensor((4096, 14), "float32", uniform(-1.0, 1.0)),
        mask=tensor((14,), "bool", literal(1.0, 1.0, 0.0, 1.0, 0.0)),
        start_axis=1,
        value=1.0,
    )


@case("_npi_boolean_mask_assign_scalar/378f7664", profile="contrast", in_place=("data",))
def fast():
    return dict(
        data=tensor((14, 4096), "float32", uniform(-1.0, 1.0)),
        mask=tensor((14,), "bool", literal(1.0, 1.0, 0.0, 1.0, 0.0)),
        start_axis=0,
        value=1.0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.03, threads=1))
