"""_npi_true_divide_scalar, backward, on MXNet 1.9.1: 2.63 times as slow as a neighbour that does equal work.

slow       115 us a call, where 41.6 us were expected
fast       41.6 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.63 times, 95% interval 2.53 to 2.79, with 1 thread
family     float16
also       forward, 4.40 times
neighbour  2.63 times: float32: as many elements, 2 times the bytes
roofline   7.29 times: this machine can move and compute as much in that time
forward    1.24 times: the forward pass of the same input

Measure it again: python _npi_true_divide_scalar-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.62 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_true_divide_scalar",
    category="scalar",
    mxnet="1.9.1",
    seed=0,
)


@case("_npi_true_divide_scalar/50d8d014", profile="finding")
def slow():
    return dict(
        data=tensor((8192,), "float16", uniform(-1.0, 1.0)),
    )


@case("_npi_true_divide_scalar/aec9352f", profile="contrast")
def fast():
    return dict(
        data=tensor((8192,), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.62, threads=1))
