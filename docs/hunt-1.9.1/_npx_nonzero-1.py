"""_npx_nonzero, forward, on MXNet 1.9.1: 2.12 times as slow as a neighbour that does equal work.

slow       86.3 us a call, where 41.1 us were expected
fast       41.1 us a call
step       float32: as many elements, 2 times the bytes
ratio      2.12 times, 95% interval 2.08 to 2.16, with 1 thread
family     float16
neighbour  2.12 times: float32: as many elements, 2 times the bytes
roofline   5.46 times: this machine can move and compute as much in that time

Measure it again: python _npx_nonzero-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.46 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, mask, tensor

SUITE = Suite(
    format=1,
    operator="_npx_nonzero",
    category="indexing",
    mxnet="1.9.1",
    seed=0,
)


@case("_npx_nonzero/203b01b2", profile="finding")
def slow():
    return dict(
        x=tensor((16384,), "float16", mask(0.01)),
    )


@case("_npx_nonzero/9d5bf031", profile="contrast")
def fast():
    return dict(
        x=tensor((16384,), "float32", mask(0.01)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.46, threads=1))
