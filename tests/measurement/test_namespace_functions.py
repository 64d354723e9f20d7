"""The function of a name in a namespace: by its name, or by its other name there."""

from __future__ import annotations

import pytest

from autoperf.cases.release import Release
from autoperf.core.errors import UnknownNameError
from autoperf.measurement.run_request import LEGACY_NAMES, function_in
from autoperf.registry.names import Names
from autoperf.rules.front_end import FRONT_END

# Those that 1.9.1 has under their name in mx.nd alone.
NEW_IN_2_0 = {"group_norm", "instance_norm", "sequence_last", "sequence_reverse", "slice_channel"}


@pytest.fixture(scope="module")
def names(release: Release) -> Names:
    return Names(release.registry, FRONT_END)


@pytest.mark.parametrize(
    ("namespace", "name", "path"),
    [
        ("nd", "batch_norm", "nd.BatchNorm"),
        ("npx", "BatchNorm", "npx.batch_norm"),
        ("npx", "rnn", "npx.rnn"),
        ("nd", "add", "nd.add"),
        ("np", "add", "np.add"),
    ],
)
def test_a_name_leads_to_the_function_of_its_purpose(names: Names, namespace: str, name: str, path: str) -> None:
    assert function_in(names, namespace, name).path == path


@pytest.mark.parametrize(("namespace", "name"), [("np", "batch_norm"), ("npx", "add"), ("nd", "no_such")])
def test_a_namespace_without_it_is_told(names: Names, namespace: str, name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown operator '{namespace}.{name}'"):
        function_in(names, namespace, name)


@pytest.mark.parametrize("name", LEGACY_NAMES)
def test_the_names_are_those_of_functions(names: Names, name: str) -> None:
    assert function_in(names, "nd", name).path == f"nd.{LEGACY_NAMES[name]}"
    assert name in NEW_IN_2_0 or function_in(names, "npx", LEGACY_NAMES[name]).path == f"npx.{name}"
