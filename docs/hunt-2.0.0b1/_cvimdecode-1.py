"""_cvimdecode, forward, on MXNet 2.0.0b1: 1.90 times as slow as a neighbour that does equal work.

slow       240 us a call, where 134 us were expected
fast       134 us a call
step       flag=1
ratio      1.90 times, 95% interval 1.75 to 2.04, with 1 thread
family     this input; no family of it holds on fresh draws
neighbour  1.90 times: flag=1
roofline   14.6 times: this machine can move and compute as much in that time

Measure it again: python _cvimdecode-1.py
It times both interleaved, and exits with 1 if slow takes more than 1.38 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, literal, tensor

SUITE = Suite(
    format=1,
    operator="_cvimdecode",
    category="image",
    mxnet="2.0.0b1",
    seed=0,
)


@case("_cvimdecode/af80ef7c", profile="finding")
def slow():
    return dict(
        buf=tensor((349254,), "uint8", literal(66.0, 77.0, 70.0, 84.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 54.0, 0.0, 0.0, 0.0, 40.0, 0.0, 0.0, 0.0, 140.0, 4.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 1.0, 0.0, 24.0, 0.0, 0.0, 0.0, 0.0, 0.0, 16.0, 84.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        flag=0,
    )


@case("_cvimdecode/375a5eef", profile="contrast")
def fast():
    return dict(
        buf=tensor((349254,), "uint8", literal(66.0, 77.0, 70.0, 84.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 54.0, 0.0, 0.0, 0.0, 40.0, 0.0, 0.0, 0.0, 140.0, 4.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 1.0, 0.0, 24.0, 0.0, 0.0, 0.0, 0.0, 0.0, 16.0, 84.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)),
        flag=1,
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=1.38, threads=1))
