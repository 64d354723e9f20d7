"""Finds the implementation of a case in another framework."""

from __future__ import annotations

import ast
from typing import Any

from autoperf.core.case import Case
from autoperf.core.operator import Form, Operator, Parameter
from autoperf.implementations.implementation import Implementation

_EXPRESSIONS = {
    "numpy": {
        "exp": "np.exp(data)",
        "sum": "np.sum(data, axis=axis if axis != () else None, keepdims=keepdims)",
        "dot": "np.dot(lhs, rhs)",
        "transpose": "np.ascontiguousarray(np.transpose(data, axes or None))",
        "elemwise_add": "np.add(lhs, rhs)",
    },
    "torch": {
        "softmax": "F.softmax(data, axis)",
        "log_softmax": "F.log_softmax(data, axis)",
        "relu": "torch.relu(data)",
        "exp": "torch.exp(data)",
        "sum": "torch.sum(data, axis if axis != () else None, keepdim=keepdims)",
        "dot": "torch.matmul(lhs, rhs)",
        "transpose": "data.permute(axes or tuple(range(data.dim()))[::-1]).contiguous()",
        "elemwise_add": "torch.add(lhs, rhs)",
        "Concat": "torch.cat(data, dim)",
    },
    "jax": {
        "softmax": "jax.nn.softmax(data, axis)",
        "relu": "jax.nn.relu(data)",
        "exp": "jnp.exp(data)",
        "sum": "jnp.sum(data, axis=axis if axis != () else None, keepdims=keepdims)",
        "dot": "jnp.dot(lhs, rhs)",
        "transpose": "jnp.transpose(data, axes or None)",
        "elemwise_add": "jnp.add(lhs, rhs)",
    },
}


def implementation(framework: str, operator: Operator, case: Case) -> Implementation | str:
    """The implementation of a case, or the reason why there is none."""
    if case.way != "call" or case.in_place:
        return f"a call of the way {case.way} has no implementation"
    expression = _EXPRESSIONS.get(framework, {}).get(operator.name)
    if expression is None:
        return f"no implementation of {operator.name} is known"
    return Implementation(operator.name, expression, "hand", differentiable=framework != "numpy")


def arguments(operator: Operator, case: Case) -> dict[str, Any]:
    """All parameters of a case by name, with the defaults of the registry, as Python values."""
    defaults = {each.name: _value(each) for each in operator.parameters if each.default is not None}
    return {**defaults, **case.params}


def _value(parameter: Parameter) -> Any:
    """The default of a parameter as a Python value."""
    text, form = parameter.default or "", parameter.type.form
    if text == "None" and parameter.type.nullable:
        return None
    if form is Form.BOOLEAN:
        return text not in ("0", "False")
    if form in (Form.STRING, Form.ENUM):
        return text
    if form is Form.FLOAT:
        return float(text)
    value = ast.literal_eval(text)
    return tuple(value) if isinstance(value, list) else value
