"""Graphs called through MXNet's Python package compute what they compute over the C API."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from autoperf.backends.mxnet.call import Call
from autoperf.backends.mxnet.capi.front_end import front_end
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.python_call import graph_function
from autoperf.backends.passes import CPU, forward
from autoperf.cases.release import Release
from autoperf.core.errors import EngineError
from tests.rules.composites.composite_runs import small_cases

FUNCTIONS = {"imperative": " functions of mx.nd", "hybridized": "mx.nd.CachedOp", "static": "mx.nd.CachedOp"}


@pytest.mark.parametrize("mode", FUNCTIONS)
@pytest.mark.parametrize("name", ["giou_loss", "focal_loss_softmax", "flip_with_boxes"])
def test_the_functions_have_the_results_of_the_graph(library: Library, release: Release, name: str, mode: str) -> None:
    call = Call(library, small_cases(release, name)[mode], CPU)
    expected = call.values(forward(call))
    function, invoke = graph_function(call, front_end(library.path))
    results = invoke()
    made = [result.asnumpy() for result in (results if isinstance(results, list) else [results])]
    assert function.endswith(FUNCTIONS[mode])
    assert len(made) == len(expected)
    assert all(np.array_equal(*pair) for pair in zip(made, expected, strict=True))
    call.free()


def test_a_fused_graph_has_no_function(library: Library, release: Release) -> None:
    case = msgspec.structs.replace(small_cases(release, "swish")["static"], way="fused")
    call = Call(library, case, CPU)
    with pytest.raises(EngineError, match="no graph that runs fused"):
        graph_function(call, front_end(library.path))
    call.free()
