"""What the crawl says of MXNet 1.9.1, operator by operator."""

import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.backends.mxnet.capi.library import Library
from autoperf.core.operator import Form, Operator, Registry, Role, TensorKind


def operator(registry: Registry, name: str) -> Operator:
    found = registry.find(name)
    assert found is not None
    return found


def test_everything_that_is_registered_is_there_once(registry: Registry, library: Library) -> None:
    names = [name for found in registry.operators for name in found.names]
    assert sorted(names) == sorted(library.operator_names())
    assert (registry.mxnet, registry.names, len(registry.operators)) == ("1.9.1", 1167, 886)
    assert len(registry.forward) == 611
    assert sum(found.role is Role.BACKWARD for found in registry.operators) == 275


def test_operators_are_sorted(registry: Registry) -> None:
    names = [found.name for found in registry.operators]
    assert names == sorted(names)


def test_aliases_belong_to_one_operator(registry: Registry) -> None:
    assert operator(registry, "elemwise_add").aliases == ("_Plus", "_add", "_plus", "_sparse_elemwise_add")
    assert operator(registry, "_plus") is operator(registry, "elemwise_add")


def test_a_signature(registry: Registry) -> None:
    convolution = operator(registry, "Convolution")
    assert [tensor.name for tensor in convolution.tensors] == ["data", "weight", "bias"]
    assert [parameter.name for parameter in convolution.required] == ["kernel", "num_filter"]
    layout = convolution.parameter("layout")
    assert layout is not None
    assert (layout.type.form, layout.type.nullable, layout.default) == (Form.ENUM, True, "None")
    assert "NCHW" in layout.type.choices
    assert convolution.description
    assert layout.description


@pytest.mark.parametrize(
    ("name", "auxiliary"),
    [
        ("BatchNorm", ["moving_mean", "moving_var"]),
        ("BatchNorm_v1", ["moving_mean", "moving_var"]),  # which its own signature forgets
        ("sgd_mom_update", ["mom"]),
        ("adam_update", ["mean", "var"]),
        ("Convolution", []),
    ],
)
def test_auxiliary_states(registry: Registry, name: str, auxiliary: list[str]) -> None:
    tensors = operator(registry, name).tensors
    assert [tensor.name for tensor in tensors if tensor.kind is TensorKind.AUXILIARY] == auxiliary


@pytest.mark.parametrize(
    ("name", "counter"),
    [
        ("Concat", "num_args"),
        ("add_n", "num_args"),
        ("multi_sum_sq", "num_arrays"),
        ("reset_arrays", "num_arrays"),
        ("amp_multicast", "num_outputs"),
        ("multi_sgd_update", ""),  # num_weights counts pairs
        ("Custom", ""),
        ("exp", ""),
    ],
)
def test_variadic_counts(registry: Registry, name: str, counter: str) -> None:
    assert operator(registry, name).variadic_count == counter


@pytest.mark.parametrize(
    ("name", "namespace"),
    [
        ("softmax", "nd"),
        ("_npi_add", "np"),
        ("_np_sum", "np"),
        ("_npx_nonzero", "npx"),
        ("_contrib_ROIAlign", "contrib"),
        ("_linalg_gemm", "linalg"),
        ("_random_uniform", "random"),
        ("_sample_uniform", "random"),
        ("_image_resize", "image"),
        ("_sparse_retain", "sparse"),
        ("_plus_scalar", "internal"),
    ],
)
def test_namespaces(registry: Registry, name: str, namespace: str) -> None:
    assert operator(registry, name).namespace == namespace


ACROSS = """
import sys
from pathlib import Path
from pathlib import Path
from autoperf.backends.mxnet.capi.library import open_library
from autoperf.backends.mxnet.backend import find_library
from autoperf.core.tensors import ArrayType
from autoperf.registry.calls import InferenceCall
from autoperf.backends.mxnet.crawl import crawl
from autoperf.backends.mxnet.introspection import gradients
from autoperf.backends.mxnet.introspection import Inference

library = open_library(find_library(sys.argv[1]))
registry = crawl(library)
print(registry.mxnet, registry.names, len(registry.operators), len(registry.forward))
inference = Inference(library)
weight = {"weight": ArrayType((2, 3), "float32")}
print(inference.complete(InferenceCall("sgd_mom_update", weight, {"lr": 0.1})).auxiliary)
print(inference.complete(InferenceCall("_npi_add", {"lhs": ArrayType((), "float32")})).unknown)
print(*gradients(inference, [InferenceCall("softmax", {"data": weight["weight"]})], 10.0)[0].kernels)
"""


def test_the_pre_release(next_library: Path) -> None:
    # Two releases can't share a process.
    command = [sys.executable, "-c", ACROSS, str(next_library)]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    assert output.splitlines() == ["2.0.0b1 1362 1006 678", "('mom',)", "('rhs',)", "_backward_softmax"]
