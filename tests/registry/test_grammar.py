"""The grammar of argument types: every form that a release has been seen to use."""

import pytest

from autoperf.backends.mxnet.crawl import parse_type
from autoperf.core.errors import RegistryError
from autoperf.core.operator import Form, ParameterType, TensorKind

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
