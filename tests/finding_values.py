"""Findings made by hand, and the header of the hunt that would have made them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from autoperf.core.case import Case
from autoperf.core.finding import Estimate, Evidence, Finding, Fit, Searched
from autoperf.core.graph import Graph, Node
from autoperf.core.outcome import PassName
from autoperf.core.tensors import Integers, Shape
from autoperf.hunt.registry_causes import ranking
from autoperf.hunt.report import HuntReport
from autoperf.hunt.stored import Hunted
from autoperf.runs.huntlog import HuntHeader
from autoperf.runs.runfile import Environment, Processor, record
from tests.values import case, inputs, tensor

HEADER = HuntHeader(
    autoperf="0.1.0",
    mxnet="1.9.1",
    seed=7,
    budget=60.0,
    operators=("softmax", "take", "exp"),
    started="2024-01-01T00:00:00+00:00",
    command=("autoperf", "hunt", "--seed", "7"),
    options={"operators": ["softmax", "take", "exp"]},
    environment=record(
        {"version": "1.9.1", "threads": 2},
        {"OMP_NUM_THREADS": "2", "AUTOPERF_CACHE": "/cache", "AUTOPERF_EXTENSIONS": "/a b/libcliff.so"},
    ),
)
NIGHTLY = msgspec.structs.replace(HEADER, environment=Environment(
    "nightly", "Linux", "3.11", {}, Processor("Example", 2, 4, 4, ()), (0.0, 0.0, 0.0), 2**34, 2**33, {}, None,
    {"version": "1.9.1", "threads": 2},
))  # fmt: skip
"""The header of a hunt in an environment that is the same on every machine."""


def softmax(shape: Shape = (4096, 64), axis: int = 0, dtype: str = "float32") -> Case:
    data = tensor(*shape, dtype=dtype)
    return case("softmax", category="activation", profile="drawn", inputs=inputs(data=data), params={"axis": axis})


def take(rows: int, dtype: str = "float16") -> Case:
    table = tensor(8, 1024, dtype=dtype, storage="row_sparse", density=0.5)
    index = tensor(rows, dtype="int64", content=Integers(0, 8))
    given = inputs(a=table, indices=index)
    params = {"mode": "clip"}
    return case("take", category="indexing", profile="drawn", inputs=given, params=params, training=False)


LOOP = case(
    "_foreach",
    category="control_flow",
    inputs=inputs(data=(tensor(4, 2), tensor(2))),
    params={"num_outputs": 1},
    graphs={"fn": Graph(("row", "state"), (Node("sum", "elemwise_add", ("row", "state")),), ("sum",))},
    way="graph",
)


def finding(
    case: Case | None = None, contrast: Case | None = None, ratio: float = 4.2, pass_: PassName = "forward"
) -> Finding:
    case = case or softmax()
    return Finding(
        operator=case.operator,
        pass_=pass_,
        case=case,
        contrast=contrast or softmax(axis=-1),
        found=softmax((5000, 100)),
        step="axis from 0 to -1",
        estimate=Estimate(ratio, ratio * 0.97, ratio * 1.04),
        actual_us=1234.5,
        contrast_us=1234.5 / ratio,
        expected_us=1234.5 / ratio,
        family="axis is not last, and the last dimension is 64 or more",
        evidence=(
            Evidence("neighbour", ratio, "as much work, one step away, takes 294 us", ratio * 0.95, ratio * 1.05),
            Evidence("roofline", 11.5, "2.10 MB at 19.5 GB/s take 107 us", 10.9, 12.1),
        ),
        kernels={"softmax": 1200.5},
        contrast_kernels={"softmax": 260.0},
        equal_work=True,
    )


def hunt_report(
    findings: Mapping[str, Finding],
    searched: Sequence[Searched] = (),
    header: HuntHeader = NIGHTLY,
    *,
    complete: bool = True,
) -> HuntReport:
    """The report of these findings."""
    return HuntReport(Hunted(header, dict(findings), tuple(searched), complete=complete), ranking(findings))


SOFTMAX = finding()
TAKE = finding(take(100), take(101), 123.4, "backward")
SEARCHED = (
    Searched(
        operator="softmax",
        tried=120,
        refused=3,
        suspects=5,
        dropped=4,
        seconds=18.5,
        fits={"forward": Fit(1.1, 100, False), "backward": Fit(2.4, 98, True)},
        ended="quiet",
    ),
    Searched(
        operator="take", tried=80, refused=0, suspects=1, dropped=0, seconds=20.0, fits={"forward": Fit(1.2, 80, False)}
    ),
    Searched(
        operator="exp",
        tried=0,
        refused=4,
        suspects=0,
        dropped=0,
        seconds=0.5,
        ended="nothing",
        reason="no input of it runs",
    ),
)
