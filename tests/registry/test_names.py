"""What users write for an operator, and the functions of MXNet's Python package that may call it."""

from __future__ import annotations

import pytest
from front_end_names import read_calls

from autoperf.cases.release import Release
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.operator import Registry, Role
from autoperf.registry.names import (
    OTHER_NAMES,
    Names,
    other_names,
    python_functions,
    takes_numpy_arrays,
    without_namespace,
)
from autoperf.rules.front_end import FRONT_END


@pytest.fixture(scope="module")
def names(registry: Registry) -> Names:
    return Names(registry, FRONT_END)


@pytest.mark.parametrize(
    ("operator", "name"),
    [
        ("_npi_exp", "exp"),
        ("_np_sum", "sum"),
        ("_contrib_box_nms", "box_nms"),
        ("_npx__image_resize", "resize"),
        ("broadcast_add", "broadcast_add"),
        ("elemwise_add", "elemwise_add"),
        ("_", "_"),
    ],
)
def test_a_name_without_its_namespace_still_says_how_shapes_are_matched(operator: str, name: str) -> None:
    assert without_namespace(operator) == name


@pytest.mark.parametrize(
    ("text", "registered", "canonical"),
    [
        ("softmax", "softmax", "softmax"),
        ("_plus", "_plus", "elemwise_add"),
        ("nd.softmax", "softmax", "softmax"),
        ("nd.linalg.gemm", "_linalg_gemm", "_linalg_gemm"),
        ("mx.nd.contrib.ROIAlign", "_contrib_ROIAlign", "_contrib_ROIAlign"),
        ("np.add", "_npi_add", "_npi_add"),
        ("mx.np.sum", "_np_sum", "_np_sum"),
        ("np.random.normal", "_npi_normal", "_npi_normal"),
        ("np.linalg.svd", "_npi_svd", "_npi_svd"),
        ("npx.softmax", "_npx_softmax", "softmax"),
        ("npx.image.resize", "_npx__image_resize", "_image_resize"),
        ("linalg.gemm", "_linalg_gemm", "_linalg_gemm"),
        ("random.uniform", "_random_uniform", "_random_uniform"),
        ("nd.random.normal", "_random_normal", "_random_normal"),
        ("nd.random.multinomial", "_sample_multinomial", "_sample_multinomial"),
        ("image.resize", "_image_resize", "_image_resize"),
        ("sparse.dot", "_sparse_dot", "dot"),
        ("sym.FullyConnected", "FullyConnected", "FullyConnected"),
        ("nd._internal._plus_scalar", "_plus_scalar", "_plus_scalar"),
    ],
)
def test_resolve(names: Names, text: str, registered: str, canonical: str) -> None:
    match = names.resolve(text)
    assert (match.name, match.operator.name) == (registered, canonical)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("np.slice", "it may mean nd.slice$"),
        ("np.gamma", "it may mean np.random.gamma$"),
        ("np.linalg.exp", "it may mean np.exp$"),
        ("np.random.relu", "relu"),
        ("npx.gamma", None),
        ("npx.cholesky", "it may mean np.linalg.cholesky$"),
        ("nd.random.pdf_normal", "_random_pdf_normal"),
    ],
)
def test_a_registered_name_does_not_make_a_function(names: Names, text: str, near: str | None) -> None:
    if near is None:
        assert names.resolve(text).name == "_npx_gamma"
        return
    with pytest.raises(UnknownNameError, match=near):
        names.resolve(text)


def test_every_path_that_resolves_is_a_function_of_the_package(
    registry: Registry, next_release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Thousands of paths don't resolve, and the names that are near to each aren't this test's.
    monkeypatch.setattr(Names, "_known_names", lambda *_: ())
    for release in (registry, next_release.registry):
        kept, names = read_calls(release.mxnet), Names(release, FRONT_END)
        registered = [name for operator in release.forward for name in operator.names]
        tails = {name.removeprefix(prefix) for name in registered for prefix in ("_npi_", "_np_", "_npx_")}
        public = [tail for tail in tails if not tail.startswith("_")]
        paths = {f"{space}.{tail}" for space in ("np", "np.linalg", "np.random", "npx") for tail in public}
        assert [path for path in sorted(paths - set(kept)) if _resolves(names, path)] == []


def _resolves(names: Names, path: str) -> bool:
    try:
        names.resolve(path)
    except (UnknownNameError, UsageError):
        return False
    return True


def test_every_registered_name_resolves_to_its_operator(names: Names, registry: Registry) -> None:
    for operator in registry.operators:
        for name in operator.names:
            assert names.resolve(name).operator is operator


@pytest.mark.parametrize(
    ("text", "near"),
    [("sofmax", "softmax"), ("np.ad", "np.add"), ("nd.linalg.gem", "nd.linalg.gemm"), ("Softmaxx", "Softmax")],
)
def test_an_unknown_name_has_neighbours(names: Names, text: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"unknown operator '{text}'; did you mean .*{near}"):
        names.resolve(text)


@pytest.mark.parametrize("text", ["", ".", "nd.", "xyzzy.foo", "np.linalg.*", "*nothing*", "BROADCAST_*"])
def test_what_matches_nothing_is_unknown(names: Names, text: str) -> None:
    with pytest.raises(UnknownNameError):
        names.select([text])


def test_a_glob_sees_aliases_and_its_case(registry: Registry) -> None:
    assert [operator.name for operator in Names(registry).select(["*oftmax"])] == [
        "SoftmaxOutput",
        "log_softmax",
        "softmax",
    ]
    assert "elemwise_add" in {operator.name for operator in Names(registry).select(["_plu*"])}


def test_a_path_glob_stays_in_its_namespace(names: Names) -> None:
    assert all(match.name.startswith(("_np_", "_npi_")) for match in names.matching("np.*"))
    assert all(not match.name.startswith("_") for match in names.matching("nd.*"))
    assert {match.operator.namespace for match in names.matching("nd.linalg.*")} == {"linalg"}


def test_everything_is_every_forward_operator(registry: Registry) -> None:
    assert Names(registry).select() == list(registry.forward) == Names(registry).select(["*"])


def test_namespaces_are_those_of_all_names(registry: Registry) -> None:
    npx = Names(registry).select(namespaces=["npx"])
    assert "softmax" in {operator.name for operator in npx}
    assert len(npx) < 100
    assert Names(registry).select(["softmax"], ["linalg"]) == []
    with pytest.raises(UnknownNameError, match="namespace 'npq'; did you mean"):
        Names(registry).select(namespaces=["npq"])


def test_a_pattern_twice_selects_once_in_the_registrys_order(registry: Registry) -> None:
    found = [operator.name for operator in Names(registry).select(["softmax", "exp", "softm*", "_npx_softmax"])]
    assert found == ["exp", "softmax", "softmax_cross_entropy", "softmin"]


def test_backward_kernels_are_not_selected(registry: Registry, names: Names) -> None:
    assert names.resolve("_backward_softmax").operator.role is Role.BACKWARD
    for pattern in ("_backward_softmax", "_backward_*"):
        with pytest.raises(UsageError, match="is a backward kernel"):
            Names(registry).select([pattern])


@pytest.mark.parametrize(
    ("operator", "first"),
    [
        ("softmax", "nd.softmax"),
        ("broadcast_add", "nd.broadcast_add"),
        ("_plus_scalar", "nd.add"),
        ("_npi_add", "np.add"),
        ("_random_normal", "nd.random.normal"),
        ("_contrib_ROIAlign", "nd.contrib.ROIAlign"),
        ("_linalg_gemm", "nd.linalg.gemm"),
        ("_npx_relu", "npx.relu"),
        ("_copyto", "nd._internal._copyto"),
    ],
)
def test_the_likeliest_function_comes_first(operator: str, first: str) -> None:
    assert python_functions(operator, FRONT_END, "1.9.1")[0] == first


def test_a_function_of_another_operator_is_left_out() -> None:
    # In 2.0 np.reshape calls _npx_reshape.
    assert "np.reshape" in python_functions("_np_reshape", FRONT_END, "1.9.1")
    assert "np.reshape" not in python_functions("_np_reshape", FRONT_END, "2.0.0b1")


def test_functions_that_are_written_in_python_are_known_by_their_operators() -> None:
    assert "np.add" in python_functions("_npi_add_scalar", FRONT_END, "1.9.1")


def test_functions_of_symbols_are_left_out() -> None:
    assert not any(path.startswith("sym") for path in python_functions("_maximum", FRONT_END, "1.9.1"))


def test_the_internal_function_comes_last() -> None:
    assert python_functions("_npi_add", FRONT_END, "1.9.1")[-1] == "nd.numpy._internal.add"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("np.add", True), ("npx.relu", True), ("nd.numpy._internal.add", True), ("nd.np.add", True), ("nd.add", False)],
)
def test_arrays_by_namespace(path: str, expected: bool) -> None:
    assert takes_numpy_arrays(path) is expected


def test_operators_may_be_called_by_other_names() -> None:
    assert other_names({}) == {}
    assert other_names({OTHER_NAMES: "_np_max=_npi_max, a=b"}) == {"_np_max": "_npi_max", "a": "b"}
    with pytest.raises(UsageError, match="expected NAME=OTHER"):
        other_names({OTHER_NAMES: "_np_max"})
