"""Functions of the real front end have the path by which their operator is measured."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from autoperf.api.values import device_text, library_of, operator_label, operator_path
from autoperf.core.errors import UsageError
from autoperf.pipeline.release import Release
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END

FUNCTIONS = {
    "nd.add": "broadcast_add",
    "nd.exp": "exp",
    "nd.FullyConnected": "FullyConnected",
    "nd.linalg.gemm": "_linalg_gemm",
    "nd.contrib.boolean_mask": "_contrib_boolean_mask",
    "nd._internal._copyto": "_copyto",
    "nd.random.normal": "_random_normal",
    "nd.random_normal": "_random_normal",
    "nd.sparse.dot": "dot",
    "nd.image.resize": "_image_resize",
    "nd.zeros": "_zeros",
    "np.add": "_npi_add",
    "np.exp": "_npi_exp",
    "np.linalg.svd": "_npi_svd",
    "np.random.uniform": "_npi_uniform",
    "npx.softmax": "softmax",
}
# What the front end of 1.9.1 needs of NumPy is not in newer versions.
PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy
for name, kind in {"bool": bool, "int": int, "float": float, "object": object}.items():
    setattr(numpy, name, kind)
import mxnet as mx
from autoperf.api.values import device_text, library_of, operator_path
def function(path):
    found = mx
    for part in path.split("."):
        found = getattr(found, part)
    return found
print(json.dumps({
    "paths": {path: operator_path(function(path)) for path in json.loads(sys.argv[1])},
    "devices": [device_text(mx.cpu()), device_text(mx.gpu(1))],
    "library": library_of([mx.nd.add]),
}))
"""


def test_functions_of_the_front_end_lead_to_their_operators(release: Release) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(list(FUNCTIONS))], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    names = Names(release.registry, FRONT_END)
    assert {path: names.resolve(told).operator.name for path, told in answer["paths"].items()} == FUNCTIONS
    assert answer["devices"] == ["cpu", "gpu(1)"]
    assert answer["library"] == str(release.library)


def test_a_name_is_its_own_path() -> None:
    assert operator_path("nd.linalg.gemm") == "nd.linalg.gemm"
    assert operator_label("nd.linalg.gemm") == "gemm"
    assert library_of(["nd.add"]) is None


@pytest.mark.parametrize("function", [np.add, np.mean, len, UsageError, 3])
def test_what_is_no_function_of_mxnet_is_refused(function: object) -> None:
    with pytest.raises(UsageError, match=r"expected a function of mx\.nd"):
        operator_path(function)  # type: ignore[arg-type]


def test_a_class_of_layers_is_its_layer() -> None:
    dense = type("Dense", (), {"__module__": "mxnet.gluon.nn.basic_layers"})
    assert operator_path(dense) == "gluon_Dense"
    assert operator_label(dense) == operator_label("gluon.nn.Dense") == "Dense"


def test_an_unknown_context_is_refused() -> None:
    assert device_text("gpu(2)") == "gpu(2)"
    with pytest.raises(UsageError, match=r"invalid ctx 3: expected mx\.cpu\(\)"):
        device_text(3)
