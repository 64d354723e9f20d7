"""_npi_boolean_mask_assign_tensor, forward, on MXNet 2.0.0b1: 7.75 times as slow as a neighbour that does equal work.

slow       161 us a call, where 20.7 us were expected
fast       20.7 us a call
step       axes 0 and 1 exchanged
ratio      7.75 times, 95% interval 7.50 to 7.87, with 1 thread
family     data.shape[-2] <= 32,768 and start_axis=1 and data.shape[0] > 7 and data.shape[1] < 8,192
neighbour  7.81 times: axes 0 and 1 exchanged takes 13% of the time
roofline   4.61 times: this machine can move and compute as much in that time

Measure it again: python _npi_boolean_mask_assign_tensor-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.78 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_boolean_mask_assign_tensor",
    category="indexing",
    mxnet="2.0.0b1",
    seed=1,
)


@case("_npi_boolean_mask_assign_tensor/2654fb64", profile="finding", in_place=("data",))
def slow():
    return dict(
        data=tensor((8192, 7), "float32", uniform(-1.0, 1.0)),
        mask=tensor((7,), "bool", literal(1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0)),
        value=tensor((1,), "float32", uniform(-1.0, 1.0)),
        start_axis=1,
    )


@case("_npi_boolean_mask_assign_tensor/cebdced9", profile="contrast", in_place=("data",))
def fast():
    return dict(
        data=tensor((7, 8192), "float32", uniform(-1.0, 1.0)),
        mask=tensor((7,), "bool", literal(1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0)),
        value=tensor((1,), "float32", uniform(-1.0, 1.0)),
        start_axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.78, threads=1))
