"""The grammar of argument types: every form that a release has been seen to use."""

import pytest

from autoperf.core.errors import RegistryError
from autoperf.core.operator import Form, ParameterType, Registry, TensorKind
from autoperf.registry.grammar import parse_type, parse_value

FORMS = [
    ("boolean, optional, default=1", Form.BOOLEAN, False, "1"),
    ("boolean or None, optional, default=None", Form.BOOLEAN, True, "None"),
    ("int, required", Form.INTEGER, False, None),
    ("int", Form.INTEGER, False, None),
    ("int, optional, default='-1'", Form.INTEGER, False, "-1"),
    ("int or None, optional, default='None'", Form.INTEGER, True, "None"),
    ("int or None, required", Form.INTEGER, True, None),
    ("long, optional, default=1", Form.INTEGER, False, "1"),
    ("float, optional, default=0.899999976", Form.FLOAT, False, "0.899999976"),
    ("float or None, required", Form.FLOAT, True, None),
    ("double or None, optional, default=None", Form.FLOAT, True, "None"),
    ("real_t", Form.FLOAT, False, None),
    ("string, optional, default=''", Form.STRING, False, ""),
    ("string, optional, default='Constraint violated.'", Form.STRING, False, "Constraint violated."),
    ("ptr, required", Form.POINTER, False, None),
    ("Symbol", Form.POINTER, False, None),
    ("Shape(tuple), optional, default=[]", Form.SHAPE, False, "[]"),
    ("Shape(tuple), optional, default=None", Form.SHAPE, True, "None"),
    ("Shape or None, optional, default=None", Form.SHAPE, True, "None"),
    ("tuple of <float>, optional, default=[0.1,0.1,0.2,0.2]", Form.TUPLE, False, "[0.1,0.1,0.2,0.2]"),
    (", optional, default=None", Form.UNTYPED, True, "None"),
    (", required", Form.UNTYPED, False, None),
]


@pytest.mark.parametrize(("text", "form", "nullable", "default"), FORMS)
def test_parameters(text: str, form: Form, nullable: bool, default: str | None) -> None:
    parsed = parse_type(text, "op", "argument")
    assert isinstance(parsed.type, ParameterType)
    assert (parsed.type.form, parsed.type.nullable) == (form, nullable)
    assert (parsed.required, parsed.default) == (default is None, default)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("NDArray-or-Symbol", TensorKind.SINGLE),
        ("NDArray", TensorKind.SINGLE),
        ("NDArray-or-Symbol[]", TensorKind.VARIADIC),
        ("Symbol or Symbol[]", TensorKind.VARIADIC),
    ],
)
def test_tensors(text: str, kind: TensorKind) -> None:
    assert parse_type(text, "op", "argument") == (kind, True, None)


def test_non_negative_numbers_have_a_minimum() -> None:
    parsed = parse_type("long (non-negative), optional, default=1024", "op", "argument").type
    assert parsed == ParameterType(Form.INTEGER, "long (non-negative)", minimum=0)


@pytest.mark.parametrize(
    ("text", "element"),
    [
        ("float", Form.FLOAT),
        ("double", Form.FLOAT),
        ("long", Form.INTEGER),
        ("Shape(tuple)", Form.SHAPE),
        ("", Form.UNTYPED),
    ],
)
def test_tuples_know_their_elements(text: str, element: Form) -> None:
    parsed = parse_type(f"tuple of <{text}>, required", "op", "argument").type
    assert isinstance(parsed, ParameterType)
    assert parsed.element is element


@pytest.mark.parametrize(
    ("text", "choices", "nullable"),
    [
        ("{'relu', 'tanh'}, required", ("relu", "tanh"), False),
        ("{None, 'float16', 'float32'},optional, default='None'", ("float16", "float32"), True),
        ("{'None', 'float16'},optional, default='None'", ("None", "float16"), False),
    ],
)
def test_enums(text: str, choices: tuple[str, ...], nullable: bool) -> None:
    parsed = parse_type(text, "op", "argument").type
    assert isinstance(parsed, ParameterType)
    assert (parsed.form, parsed.choices, parsed.nullable) == (Form.ENUM, choices, nullable)


@pytest.mark.parametrize("text", ["matrix, required", "tuple of <matrix>, required", "{relu}, required", "int or Foo"])
def test_an_unknown_form_names_operator_and_argument(text: str) -> None:
    with pytest.raises(RegistryError, match=r"operator Foo: the type .* of its argument 'bar'"):
        parse_type(text, "Foo", "bar")


@pytest.mark.parametrize(
    ("declared", "text", "value"),
    [
        ("boolean, required", "1", True),
        ("boolean, required", "False", False),
        ("int, required", "-1", -1),
        ("int or None, required", "None", None),
        ("float, required", "1e-05", 1e-5),
        ("double, required", "3", 3.0),
        ("Shape(tuple), required", "[]", ()),
        ("Shape(tuple), required", "[0,0]", (0, 0)),
        ("tuple of <float>, required", "[1,0.5]", (1.0, 0.5)),
        ("tuple of <Shape(tuple)>, required", "((0, 1), (2, 3))", ((0, 1), (2, 3))),
        ("tuple of <>, required", "[None,2]", (None, 2)),
        ("{'a', 'b'}, required", "b", "b"),
        ("{'None', 'b'}, required", "None", "None"),
        ("{None, 'b'}, required", "None", None),
        ("string, required", "None", "None"),
        (", required", "L", "L"),
        (", required", "2", 2),
    ],
)
def test_values(declared: str, text: str, value: object) -> None:
    kind = parse_type(declared, "op", "argument").type
    assert isinstance(kind, ParameterType)
    parsed = parse_value(kind, text)
    assert (parsed, type(parsed)) == (value, type(value))


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("int, required", "None"),
        ("int, required", "1.5"),
        ("boolean, required", "yes"),
        ("{'a', 'b'}, required", "c"),
        ("Shape(tuple), required", "[1,"),
        ("Shape(tuple), required", "{1: 2}"),
    ],
)
def test_no_value_of_the_type(declared: str, text: str) -> None:
    kind = parse_type(declared, "op", "argument").type
    assert isinstance(kind, ParameterType)
    with pytest.raises(RegistryError, match="is no value of the type"):
        parse_value(kind, text)


def test_every_default_of_every_operator_parses(registry: Registry) -> None:
    parsed = 0
    for operator in registry.operators:
        for parameter in operator.parameters:
            if parameter.default is not None:
                value = parse_value(parameter.type, parameter.default)
                assert value is not None or parameter.type.nullable, (operator.name, parameter.name)
                parsed += 1
    assert parsed > 1000
