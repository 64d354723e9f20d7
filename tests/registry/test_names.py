"""What users write for an operator."""

import pytest

from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.operator import Registry, Role
from autoperf.registry.names import Names


@pytest.fixture(scope="module")
def names(registry: Registry) -> Names:
    return Names(registry)


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
    assert match.alias == (registered != canonical)


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
