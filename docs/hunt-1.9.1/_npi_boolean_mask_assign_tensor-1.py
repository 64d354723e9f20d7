"""_npi_boolean_mask_assign_tensor, forward, on MXNet 1.9.1: 9.03 times as slow as a neighbour that does equal work.

slow       234 us a call, where 25.4 us were expected
fast       22.6 us a call
step       data.shape[1] of 1 and data.shape[0] of 8,192
ratio      9.03 times, 95% interval 8.77 to 9.31, with 1 thread
family     the last dimension of mask is 4,096 or more, and the last dimension but one of data is at most
           16,384
neighbour  9.03 times: data.shape[1] of 1 and data.shape[0] of 8,192
roofline   14.4 times: this machine can move and compute as much in that time

Measure it again: python _npi_boolean_mask_assign_tensor-1.py
It times both interleaved, and exits with 1 if slow takes more than 3.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_boolean_mask_assign_tensor",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_boolean_mask_assign_tensor/18ec858f", profile="finding", in_place=("data",))
def slow():
    return dict(
        data=tensor((1, 8192), "float32", uniform(-1.0, 1.0)),
        mask=tensor((8192,), "bool", literal(1.0, 1.0, 1.0, 1.0)),
        value=tensor((1, 1), "float32", uniform(-1.0, 1.0)),
        start_axis=1,
    )


@case("_npi_boolean_mask_assign_tensor/24693687", profile="contrast", in_place=("data",))
def fast():
    return dict(
        data=tensor((8192, 1), "float32", uniform(-1.0, 1.0)),
        mask=tensor((1,), "bool", literal(1.0, 1.0, 1.0, 1.0)),
        value=tensor((1, 1), "float32", uniform(-1.0, 1.0)),
        start_axis=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=3.38, threads=1))
