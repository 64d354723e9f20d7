"""The shell completes operators, categories, namespaces and releases."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete

from autoperf.cli.main import autoperf


def completed(*words: str) -> list[str]:
    """What is offered for the last word."""
    complete = ShellComplete(autoperf, {}, "autoperf", "_AUTOPERF_COMPLETE")
    return [item.value for item in complete.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize("command", ["run", "discover", "compare", "hunt", "generate", "report"])
def test_operators_are_completed(command: str) -> None:
    assert {"softmax", "softmax_cross_entropy"} <= set(completed(command, "--operator", "soft"))


def test_the_last_name_of_a_list_is_completed() -> None:
    assert "exp,log_softmax" in completed("run", "--operator", "exp,log_s")


def test_categories_and_groups_are_completed() -> None:
    assert completed("run", "--category", "conv") == ["convolution", "conversion"]
    assert "nn_conv" in completed("report", "--category", "nn_")


def test_namespaces_are_completed() -> None:
    assert completed("run", "--namespace", "np") == ["np", "npx"]


def test_releases_are_completed() -> None:
    assert "1.9.1" in completed("run", "--mxnet", "1.")


def test_a_library_that_can_not_be_found_completes_nothing() -> None:
    assert completed("run", "--mxnet", "/no/such/library.so", "--operator", "soft") == []
