"""Default values for a parameter by its type in MXNet's grammar."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.operator import Form, Parameter, Value


def from_parameter(parameter: Parameter) -> st.SearchStrategy[Value] | None:
    """Small valid values of the parameter's type; None if the type doesn't determine any."""
    kind = parameter.type
    if kind.form is Form.BOOLEAN:
        return st.booleans()
    if kind.form is Form.ENUM:
        choices: list[Value] = list(kind.choices)
        return st.sampled_from(choices) if choices else None
    if kind.form is Form.INTEGER:
        return st.integers(max(1, kind.minimum or 0), 4)
    if kind.form is Form.FLOAT:
        return st.floats(0.125, 2.0).map(lambda number: round(number, 3))
    return None


def trivial(parameter: Parameter) -> Value:
    """The simplest valid value of a required parameter; None if the type doesn't determine one."""
    kind = parameter.type
    simplest: dict[Form, Value] = {Form.BOOLEAN: False, Form.INTEGER: 1, Form.FLOAT: 1.0}
    if kind.form is Form.ENUM and kind.choices:
        return "float32" if "float32" in kind.choices else kind.choices[0]
    return simplest.get(kind.form)
