"""A small report of coverage made by hand."""

from __future__ import annotations

from autoperf.core.coverage import (
    Coverage,
    CoverageReport,
    CoverageSummary,
    DtypeAnswers,
    OperatorCoverage,
    RuleReference,
)

ADD = OperatorCoverage(
    name="broadcast_add", aliases=("broadcast_plus",), namespace="nd", category="broadcast", status=Coverage.COVERED,
    reason="", rule=RuleReference("family", "autoperf/rules/elementwise.py:broadcast"), differentiable=True,
    backward_kernels=("_backward_broadcast_add",),
    dtypes=DtypeAnswers(
        ("float16", "float32", "float64", "int32"), {"bool": "Operator add does not support boolean"}
    ),
)  # fmt: skip
EQUAL = OperatorCoverage(
    name="broadcast_equal", aliases=(), namespace="nd", category="broadcast", status=Coverage.COVERED, reason="",
    rule=RuleReference("inferred", "autoperf/rules/elementwise.py:binary"), differentiable=False, backward_kernels=(),
)  # fmt: skip
CONVOLUTION = OperatorCoverage(
    name="Convolution", aliases=("_npx_convolution", "Convolution_v0", "_contrib_Convolution_with_a_long_alias"),
    namespace="nd", category="convolution", status=Coverage.COVERED, reason="",
    rule=RuleReference("exact", "autoperf/rules/convolution.py:convolution"), differentiable=True,
    backward_kernels=("_backward_Convolution",),
)  # fmt: skip
MYSTERY = OperatorCoverage(
    name="_contrib_mystery", aliases=(), namespace="contrib", category="", status=Coverage.UNCOVERED,
    reason="no rule answers: `data` is a list | of what?", rule=None, differentiable=None, backward_kernels=(),
)  # fmt: skip
FFT = OperatorCoverage(
    name="_contrib_fft", aliases=(), namespace="contrib", category="misc", status=Coverage.EXCLUDED,
    reason="has a kernel for GPUs only", rule=None, differentiable=None, backward_kernels=(),
)  # fmt: skip

REPORT = CoverageReport(
    mxnet="1.9.1",
    names=11,
    operators=(CONVOLUTION, FFT, MYSTERY, ADD, EQUAL),
    summary=CoverageSummary(
        registered=11, canonical=7, alias=4, backward=2, forward=5, covered=3, uncovered=1, excluded=1
    ),
    backward=("_backward_Convolution", "_backward_broadcast_add"),
)
