"""Arrays, calls, symbols, numbers of Python functions, and a traced backward pass, on real MXNet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from autoperf.backends.mxnet.capi import invoke as autograd
from autoperf.backends.mxnet.capi import symbol
from autoperf.backends.mxnet.capi.invoke import Invocation, format_value, invoke
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.capi.ndarray import DTYPE_CODES, NDArray, dtype_name
from autoperf.backends.mxnet.capi.profiler import UNBULKED
from autoperf.backends.mxnet.python_call import scalar_of
from autoperf.core.errors import EngineError
from autoperf.core.operator import Value

COUNTS = np.arange(6, dtype="float32").reshape(2, 3)


def array(library: Library, values: object, dtype: str = "float32") -> NDArray:
    return NDArray.from_numpy(library, np.asarray(values), dtype)


@pytest.mark.parametrize("dtype", DTYPE_CODES)
def test_values_survive_the_way_there_and_back(library: Library, dtype: str) -> None:
    there = array(library, [[0, 1], [1, 0]], dtype)
    assert (there.shape, there.dtype, there.storage) == ((2, 2), dtype, "default")
    assert there.to_numpy().tolist() == [[0, 1], [1, 0]]


def test_dtypes_of_other_releases_are_named() -> None:
    with pytest.raises(EngineError, match="an array of int16, which autoperf doesn't measure"):
        dtype_name(8)
    with pytest.raises(EngineError, match="unknown dtype code 99"):
        dtype_name(99)


def test_a_weight_that_a_kernel_has_laid_out_anew_is_written_as_any_other(library: Library) -> None:
    limits = [array(library, [limit]) for limit in (-1.0, 1.0, -1.0, 1.0)]
    weight = array(library, np.arange(64).reshape(16, 4, 1, 1), "int8")
    operands = [array(library, np.ones((1, 4, 16, 16)), "uint8"), weight, *limits]
    options: dict[str, Value] = {"kernel": (1, 1), "num_filter": 16, "no_bias": True}
    for values in (weight.to_numpy(), weight.to_numpy()[::-1]):
        weight.write(values)
        output, *_ = [
            NDArray(library, handle) for handle in invoke(library, "_contrib_quantized_conv", operands, options)
        ]
        output.wait()
        assert output.to_numpy()[0, :, 0, 0].tolist() == values.sum(axis=(1, 2, 3)).tolist()


def test_bfloat16_rounds_to_nearest_even(library: Library) -> None:
    ulp = 2.0**-7
    values = [1.0, 1.0 + ulp / 2, 1.0 + ulp * 0.75, 1.0 + ulp * 1.5]
    assert array(library, values, "bfloat16").to_numpy().tolist() == [1.0, 1.0, 1.0 + ulp, 1.0 + 2 * ulp]


@pytest.mark.parametrize("storage", ["csr", "row_sparse"])
def test_sparse_arrays(library: Library, storage: str) -> None:
    sparse = NDArray.from_numpy(library, np.array([[0, 2], [0, 0]], "float32"), storage=storage)
    assert (sparse.storage, sparse.shape) == (storage, (2, 2))
    assert sparse.to_numpy().tolist() == [[0, 2], [0, 0]]


@pytest.mark.parametrize(
    ("storage", "nbytes"),
    [("default", 3 * 4 * 8), ("csr", 2 * 8 + 2 * 8 + 4 * 8), ("row_sparse", 1 * 4 * 8 + 1 * 8)],
)
def test_an_array_holds_values_and_the_indices_of_its_storage(library: Library, storage: str, nbytes: int) -> None:
    values = np.zeros((3, 4))
    values[1, :2] = 1
    assert NDArray.from_numpy(library, values, storage=storage).nbytes == nbytes


def test_an_empty_row_sparse_array_holds_nothing(library: Library) -> None:
    empty = NDArray.empty_row_sparse(library, (3, 4), "float64")
    assert (empty.storage, empty.shape, empty.dtype, empty.nbytes) == ("row_sparse", (3, 4), "float64", 0)
    assert not empty.to_numpy().any()


def test_scalars_and_empty_arrays_with_np_shape(library: Library) -> None:
    before = library.set_np_shape(1)
    try:
        assert array(library, 3.0).to_numpy() == 3.0
        assert array(library, np.zeros((0, 3))).to_numpy().shape == (0, 3)
    finally:
        library.set_np_shape(before)


def test_an_absent_gpu_is_an_error(library: Library) -> None:
    with pytest.raises(EngineError, match="USE_CUDA"):
        NDArray.create(library, (1,), "float32", ("gpu", 0))


def test_a_freed_array_is_refused_before_mxnet_sees_it(library: Library) -> None:
    gone = array(library, [1.0])
    gone.free()
    gone.free()
    with pytest.raises(EngineError, match="freed"):
        gone.to_numpy()
    with pytest.raises(EngineError, match="freed"):
        invoke(library, "exp", [gone])


def test_a_call_can_be_repeated(library: Library) -> None:
    call = Invocation(library, "topk", [array(library, COUNTS)], {"axis": 1, "k": 2, "ret_typ": "both"})
    first = [NDArray(library, handle).to_numpy().tolist() for handle in call()]
    again = call()
    assert first == [[[2, 1], [5, 4]], [[2, 1], [2, 1]]]
    assert len(again) == 2
    call.free(again)


def test_results_go_to_given_arrays(library: Library) -> None:
    out = NDArray.create(library, (2, 3), "float32")
    call = Invocation(library, "square", [array(library, COUNTS)], out=[out])
    handles = call()
    call.free(handles)
    assert handles == (out.handle,)
    assert out.to_numpy().tolist() == (COUNTS**2).tolist()


def test_a_refused_call_says_why(library: Library) -> None:
    with pytest.raises(EngineError, match=r"Required parameter num_filter .* is not presented"):
        invoke(library, "Convolution", [array(library, COUNTS)], {"kernel": (3, 3)})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (None, "None"),
        (3, "3"),
        (1e-5, "1e-05"),
        (0.1, "0.1"),
        ((3, 3), "(3, 3)"),
        ((3,), "(3,)"),
        ((), "()"),
        (((0, 1), (2, 3)), "((0, 1), (2, 3))"),
        ("relu", "relu"),
    ],
)
def test_format_value(value: object, text: str) -> None:
    assert format_value(value) == text


def test_gradients_arrive(library: Library) -> None:
    data, gradient = array(library, [1.0, 2.0, 3.0]), array(library, [9.0, 9.0, 9.0])
    autograd.mark_variables(library, [data], [gradient])
    with autograd.pass_mode(library, recording=True):
        outputs = [NDArray(library, handle) for handle in invoke(library, "square", [data])]
    assert (autograd.set_recording(library, False), autograd.set_training(library, False)) == (False, False)
    autograd.backward(library, outputs)
    assert gradient.to_numpy().tolist() == [2.0, 4.0, 6.0]


def test_a_prepared_backward_pass_runs_again_and_again(library: Library) -> None:
    data, gradient, heads = array(library, [1.0, 2.0]), array(library, [9.0, 9.0]), array(library, [1.0, 10.0])
    autograd.mark_variables(library, [data], [gradient])
    back = autograd.BackwardPass(library, [heads], train=True)
    call, found = Invocation(library, "square", [data]), []
    autograd.set_recording(library, True)
    try:
        for _ in range(2):
            outputs = call()
            back(outputs)
            call.free(outputs)
            found.append(gradient.to_numpy().tolist())
            gradient.fill(np.zeros(2, "float32"))
    finally:
        autograd.set_recording(library, False)
    assert found == [[2.0, 40.0]] * 2
    with pytest.raises(EngineError, match="Cannot differentiate"):
        back((heads.handle or 0,))


def test_nothing_recorded_is_an_error(library: Library) -> None:
    with pytest.raises(EngineError, match="Cannot differentiate"):
        autograd.backward(library, [array(library, [1.0])])


TRACED = """
    import os
    import sys
    from pathlib import Path
    import numpy as np
    from autoperf.backends.mxnet.capi import profiler
    from autoperf.backends.mxnet.capi import invoke as autograd
    from autoperf.backends.mxnet.capi.invoke import invoke
    from autoperf.backends.mxnet.capi.library import open_library
    from autoperf.backends.mxnet.backend import find_library
    from autoperf.backends.mxnet.capi.ndarray import NDArray

    library = open_library(find_library())
    profiler.configure(library, Path(sys.argv[1]))
    profiler.set_bulk_size(library, 0)
    data = NDArray.from_numpy(library, np.ones((4, 4), "float32"))
    gradient = NDArray.create(library, (4, 4), "float32")
    autograd.mark_variables(library, [data], [gradient])
    for _ in range(2):
        profiler.set_state(library, True)
        autograd.set_recording(library, True)
        outputs = invoke(library, "softmax", [data])
        autograd.set_recording(library, False)
        autograd.backward(library, outputs)
        library.wait_all()
        profiler.set_state(library, False)
    profiler.dump(library)
    os._exit(0)
"""


def test_a_trace_names_forward_and_backward_kernels(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    environment = os.environ | UNBULKED
    command = [sys.executable, "-c", textwrap.dedent(TRACED), str(trace)]
    subprocess.run(command, env=environment, check=True, timeout=60)
    events = json.loads(trace.read_text())["traceEvents"]
    started = [event["name"] for event in events if event.get("cat") == "operator" and event["ph"] == "B"]
    assert started.count("softmax") == 2
    assert started.count("_backward_softmax") == 2
    assert "ImperativeBulk" not in started


def made(library: Library, operator: str, params: dict[str, object], inputs: list[str]) -> symbol.Symbol:
    node = symbol.Symbol.atomic(library, library.operator(operator), params)
    node.compose("node", [symbol.Symbol.variable(library, name) for name in inputs])
    return node


def test_a_symbol_completes_shapes_and_types(library: Library) -> None:
    node = made(library, "BatchNorm", {}, ["data"])
    shapes, types = node.infer_shape_partial({"data": (2, 3, 4, 4)}), node.infer_type_partial({"data": 2})
    assert node.list_auxiliary_states() == ["node_moving_mean", "node_moving_var"]
    assert node.list_outputs() == ["node_output"]
    assert shapes == symbol.Inferred(((2, 3, 4, 4), (3,), (3,)), ((2, 3, 4, 4),), ((3,), (3,)))
    assert types == symbol.Inferred((2, 0, 0), (2,), (0, 0))


def test_a_variadic_symbol_with_an_unknown_part(library: Library) -> None:
    node = made(library, "Concat", {"num_args": 3}, ["a", "b", "c"])
    shapes = node.infer_shape_partial({"a": (2, 3), "b": (2, 4)})
    assert shapes.arguments == ((2, 3), (2, 4), (2, 0))
    assert shapes.outputs == ((2, 7),)


def test_inference_refuses_in_the_operators_words(library: Library) -> None:
    node = made(library, "dot", {}, ["lhs", "rhs"])
    with pytest.raises(EngineError, match=r"dot shape error: \[2,3\] X \[2,3\]"):
        node.infer_shape_partial({"lhs": (2, 3), "rhs": (2, 3)})


@pytest.mark.parametrize(
    ("params", "number"),
    [({"scalar": 7.0, "is_int": True}, 7), ({"scalar": 7.0, "is_int": False}, 7.0), ({"scalar": 2.5}, 2.5)],
)
def test_a_whole_number_is_written_as_one(params: dict[str, Value], number: Value) -> None:
    written = scalar_of(params)
    assert (written, type(written)) == (number, type(number))
