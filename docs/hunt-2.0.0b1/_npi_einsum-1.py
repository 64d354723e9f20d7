"""_npi_einsum, backward, on MXNet 2.0.0b1: 2.12 times as slow as a neighbour that does equal work.

slow       250 us a call, where 120 us were expected
fast       120 us a call
step       optimize=1
ratio      2.12 times, 95% interval 2.07 to 2.27, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  2.12 times: optimize=1
roofline   20.2 times: this machine can move and compute as much in that time
forward    1.68 times: the forward pass of the same input

Measure it again: python _npi_einsum-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_npi_einsum",
    category="gemm",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_npi_einsum/f830a7e5", profile="finding")
def slow():
    return dict(
        data=[tensor((27, 27), "float32", uniform(-1.0, 1.0)), tensor((27, 27), "float32", uniform(-1.0, 1.0))],
        num_args=2,
        optimize=0,
        subscripts="ij,jk->ik",
    )


@case("_npi_einsum/9c7c203f", profile="contrast")
def fast():
    return dict(
        data=[tensor((27, 27), "float32", uniform(-1.0, 1.0)), tensor((27, 27), "float32", uniform(-1.0, 1.0))],
        num_args=2,
        optimize=1,
        subscripts="ij,jk->ik",
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.46, threads=1))
