"""Values for a parameter of every type in MXNet's grammar, where no rule knows better."""

from __future__ import annotations

from hypothesis import strategies as st

from autoperf.core.operator import Form, Parameter, Value


def from_parameter(parameter: Parameter) -> st.SearchStrategy[Value] | None:
    """Modest values of the parameter's type; None where the type alone does not tell a legal one."""
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
    """The plainest legal value of a required parameter; None where the type alone does not tell one."""
    kind = parameter.type
    plain: dict[Form, Value] = {Form.BOOLEAN: False, Form.INTEGER: 1, Form.FLOAT: 1.0}
    if kind.form is Form.ENUM and kind.choices:
        return "float32" if "float32" in kind.choices else kind.choices[0]
    return plain.get(kind.form)
