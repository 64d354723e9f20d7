"""_npi_logical_xor_scalar, forward, on MXNet 2.0.0b1: 2.13 times as slow as a neighbour that does equal work.

slow       97.8 us a call, where 46.7 us were expected
fast       46.7 us a call
step       int32: as many elements, 2 times the bytes
ratio      2.13 times, 95% interval 2.02 to 2.23, with 1 thread
family     float16 or float64 or int64
neighbour  2.13 times: int32: as many elements, 2 times the bytes
roofline   6.75 times: this machine can move and compute as much in that time

Measure it again: python _npi_logical_xor_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npi_logical_xor_scalar",
    category="logical",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_logical_xor_scalar/0a2219a5", profile="finding")
def slow():
    return dict(
        data=tensor((256, 256), "float16", mask(0.5)),
        is_int=True,
    )


@case("_npi_logical_xor_scalar/068706af", profile="contrast")
def fast():
    return dict(
        data=tensor((256, 256), "int32", mask(0.5)),
        is_int=True,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.46, threads=1))
