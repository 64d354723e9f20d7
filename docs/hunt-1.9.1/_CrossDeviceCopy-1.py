"""_CrossDeviceCopy, forward, on MXNet 1.9.1: 4.36 times as slow as a neighbour that does equal work.

slow       141 us a call, where 33.3 us were expected
fast       33.3 us a call
step       float16: as many elements, 2 times the bytes
ratio      4.36 times, 95% interval 3.94 to 4.79, with 1 thread
family     this input; the budget ended before a family of it was held against enough fresh draws
neighbour  4.36 times: float16: as many elements, 2 times the bytes
roofline   7.11 times: this machine can move and compute as much in that time

Measure it again: python _CrossDeviceCopy-1.py
It times both interleaved, and exits with 1 if slow takes more than 2.09 times as long as fast, else with 0.
"""

from autoperf.bench import Suite, case, contrast, integers, tensor, uniform

SUITE = Suite(
    format=1,
    operator="_CrossDeviceCopy",
    category="subgraph",
    mxnet="1.9.1",
    seed=0,
)


@case("_CrossDeviceCopy/8d7bf242", profile="finding", training=False, way="executor")
def slow():
    return dict(
        data=tensor((200000,), "uint8", integers(0, 10)),
    )


@case("_CrossDeviceCopy/62670cd0", profile="contrast", training=False, way="executor")
def fast():
    return dict(
        data=tensor((200000,), "float16", uniform(-1.0, 1.0)),
    )


if __name__ == "__main__":
    raise SystemExit(contrast(__file__, slow, fast, pass_="forward", above=2.09, threads=1))
