"""where, backward, on MXNet 1.9.1: 2.09 times as slow as a neighbour that does equal work.

slow       2,874 us a call, where 1,377 us were expected
fast       1,377 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.09 times, 95% interval 2.05 to 2.10, with 1 thread
family     float16, and 5,329 elements or more
also       forward, 2.11 times
neighbour  2.09 times: float32: as many elements, 2 times the bytes
model      2.61 times: half of 50 other inputs lie within a factor of 1.22 of it
roofline   90.3 times: this machine can move and compute as much in that time
forward    1.45 times: the forward pass of the same input
kin        13.7 times: elemwise_add of the same input

Measure it again: python where-2.py
It times both interleaved, and exits with 1 if slow takes more than 1.44 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor, uniform

SUITE = Suite(
    format=1,
    operator="where",
    category="indexing",
    mxnet="1.9.1",
    seed=5,
)


@case("where/aca6ee69", profile="finding")
def slow():
    return dict(
        condition=tensor((26215,), "float16", mask(0.5)),
        x=tensor((26215, 1, 2, 5), "float16", uniform(-1.0, 1.0)),
        y=tensor((26215, 1, 2, 5), "float16", uniform(-1.0, 1.0)),
    )


@case("where/61e60796", profile="contrast")
def fast():
    return dict(
        condition=tensor((26215,), "float32", mask(0.5)),
        x=tensor((26215, 1, 2, 5), "float32", uniform(-1.0, 1.0)),
        y=tensor((26215, 1, 2, 5), "float32", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="backward", above=1.44, threads=1))
