"""The reasons why operators have no implementation in other frameworks."""

from __future__ import annotations

from collections.abc import Mapping

from autoperf.core.case import Case
from autoperf.core.operator import Operator

SPARSE = "its inputs are stored sparsely, which implementations over dense arrays don't do"
_PLAIN = ("call",)

CATEGORIES: Mapping[str, str] = {
    "control_flow": "a loop or a branch over graphs, which the other frameworks write in Python",
    "subgraph": "it runs code of the user or of MXNet's oneDNN fusion, which exists there alone",
    "graph": "MXNet's own sampling of graphs in CSR storage",
}
OPERATORS: Mapping[str, str] = {
    "_cvimdecode": "it decodes an image file",
    "_cvimread": "it reads an image file",
    "cast_storage": "it converts to sparse storage",
    "_npx_constraint_check": "it raises an error if a condition fails, which stops a program and computes nothing",
    "_npi_share_memory": "whether two arrays of MXNet share memory",
}


def reason_of_all(operator: Operator, category: str) -> str:
    """Why no case of an operator has an implementation, in any framework; empty if some may have one."""
    return CATEGORIES.get(category, "") or OPERATORS.get(operator.name, "")


def reason_of(operator: Operator, case: Case) -> str:
    """Why an operator has no implementation for a case, in any framework; empty if it may have one."""
    if case.way not in _PLAIN:
        return "it doesn't run imperatively"
    if any(item.tensor.storage != "default" for item in case.inputs):
        return SPARSE
    return reason_of_all(operator, case.category)
