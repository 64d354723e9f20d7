"""_npi_boolean_mask_assign_tensor, forward, on MXNet 1.9.1: 5.08 times as slow as a neighbour that does equal work.

slow       143 us a call, where 28.5 us were expected
fast       28.5 us a call
step       axes 0 and 1 exchanged
ratio      5.08 times, 95% interval 4.95 to 5.19, with 1 thread
family     dtype is not float64 and start_axis=1 and data.shape[0] > 31 and data.shape[1] < 2,048
neighbour  5.02 times: axes 0 and 1 exchanged takes 20% of the time
roofline   3.99 times: this machine can move and compute as much in that time

Measure it again: python _npi_boolean_mask_assign_tensor-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.25 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_boolean_mask_assign_tensor",
    category="indexing",
    mxnet="1.9.1",
    seed=1,
)


@case("_npi_boolean_mask_assign_tensor/7ca8ad1c", profile="finding", in_place=("data",))
def slow():
    return dict(
        data=tensor((2048, 31), "float32", uniform(-1.0, 1.0)),
        mask=tensor((31,), "bool", literal(1.0)),
        value=tensor((1,), "float32", uniform(-1.0, 1.0)),
        start_axis=1,
    )


@case("_npi_boolean_mask_assign_tensor/5847935f", profile="contrast", in_place=("data",))
def fast():
    return dict(
        data=tensor((31, 2048), "float32", uniform(-1.0, 1.0)),
        mask=tensor((31,), "bool", literal(1.0)),
        value=tensor((1,), "float32", uniform(-1.0, 1.0)),
        start_axis=0,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.25, threads=1))
