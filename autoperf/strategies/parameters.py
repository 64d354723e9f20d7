"""Default values for a parameter by its type in MXNet's grammar."""

from __future__ import annotations

from autoperf.core.operator import Form, Parameter, Value


def trivial(parameter: Parameter) -> Value:
    """The simplest valid value of a required parameter; None if the type doesn't determine one."""
    kind = parameter.type
    simplest: dict[Form, Value] = {Form.BOOLEAN: False, Form.INTEGER: 1, Form.FLOAT: 1.0}
    if kind.form is Form.ENUM and kind.choices:
        return "float32" if "float32" in kind.choices else kind.choices[0]
    return simplest.get(kind.form)
