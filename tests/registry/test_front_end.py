"""What users write for functions of MXNet's Python front end, compared with what runs when those are called."""

from __future__ import annotations

from pathlib import Path

import front_end_names
import pytest
from front_end_names import Calls, Kind, answer_of, call_functions, package, public_functions, read_calls, verdicts

from autoperf.cases.release import Release
from autoperf.core.errors import UnknownNameError, UsageError
from autoperf.core.operator import Registry
from autoperf.registry.names import BySeries, Meaning, Means, Names
from autoperf.rules import front_end
from autoperf.rules.front_end import FRONT_END
from tools.page_blocks import block_of

INSTALLED, NEXT = front_end_names.RELEASES
SAMPLE = (
    *("nd.add", "nd.subtract", "nd.multiply", "nd.divide", "nd.modulo", "nd.power", "nd.maximum", "nd.equal"),
    *("nd.lesser_equal", "nd.logical_xor", "nd.true_divide", "nd.sparse.add", "nd.random.normal", "nd.softmax"),
    *("np.add", "np.divide", "np.round", "np.fabs", "np.ravel", "np.random.power", "np.tensordot", "np.outer"),
    *("np.cov", "npx.softmax", "nd.contrib.isnan", "nd.contrib.isinf", "sym.maximum", "sym.np.add", "np.insert"),
)


@pytest.fixture(scope="module")
def names(registry: Registry) -> Names:
    return Names(registry, FRONT_END)


def assert_agreement(registry: Registry, calls: Calls) -> None:
    """Every function is known, and none is taken for an operator that it doesn't call."""
    found = list(verdicts(registry, calls))
    assert [verdict.line for verdict in found if verdict.agrees is False] == []
    assert sum(verdict.agrees is True for verdict in found) > 0.95 * len(found)


def test_functions_still_call_what_is_kept() -> None:
    kept = read_calls(INSTALLED)
    assert call_functions(SAMPLE) == {path: kept[path] for path in SAMPLE}


def test_every_public_function_is_kept() -> None:
    assert sorted(public_functions()) == sorted(read_calls(INSTALLED))


def test_every_function_leads_to_what_it_calls(registry: Registry, next_release: Release) -> None:
    assert_agreement(registry, read_calls(INSTALLED))
    assert_agreement(next_release.registry, read_calls(NEXT))


@pytest.mark.nightly
@pytest.mark.parametrize("version", front_end_names.RELEASES)
def test_every_function_still_calls_what_is_kept(version: str) -> None:
    with package(version) as home:
        assert call_functions(home=home) == read_calls(version)


def test_what_disagrees_is_found(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their names alone, functions that are written in Python would be unknown."""
    monkeypatch.setattr(front_end_names, "FRONT_END", {})
    named = {"np.random.power", "nd.add", "np.subtract", "nd.exp"}
    calls = read_calls(INSTALLED)
    some = {path: calls[path] for path in {*named, *list(calls)[::5]}}
    found = {verdict.path: verdict for verdict in verdicts(registry, some)}
    assert {path for path in named if found[path].answer.kind is Kind.UNKNOWN} == named - {"nd.exp"}
    assert "differs     np.random.power: unknown: unknown operator 'np.random.power'" in found["np.random.power"].line
    assert "ran: _npi_powerd" in found["np.random.power"].line
    assert found["nd.exp"].agrees is True
    assert sum(verdict.agrees is False for verdict in found.values()) > 40


def test_the_page_is_up_to_date(registry: Registry, next_release: Release) -> None:
    page = front_end_names.PAGE.read_text(encoding="utf-8")
    content = front_end_names.blocks({INSTALLED: registry, NEXT: next_release.registry})
    for name, text in content.items():
        assert block_of(page, name) == text.strip("\n"), "run `python benches/front_end_names.py --page`"


def test_calls_are_kept_with_a_line_for_each_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ledgers").mkdir()
    monkeypatch.setattr(front_end_names, "ROOT", tmp_path)
    calls = {"np.add": {"two tensors": ["_npi_add"]}, "nd.load": {}}
    front_end_names.write_calls("1.0", calls)
    assert read_calls("1.0") == calls
    assert front_end_names.ledger("1.0").read_text().count("\n") == len(calls) + 2


@pytest.mark.parametrize(
    ("text", "operator", "note"),
    [
        ("nd.add", "broadcast_add", "nd.add means broadcast_add for two tensors; for a number it is _plus_scalar"),
        ("mx.nd.maximum", "broadcast_maximum", "mx.nd.maximum means broadcast_maximum for two tensors; "),
        (
            "mxnet.ndarray.power",
            "broadcast_power",
            "for a tensor and a number it is _power_scalar, for a number and a tensor it is _rpower_scalar",
        ),
        ("sym.maximum", "_maximum", "sym.maximum means _maximum for two tensors"),
        ("sparse.add", "elemwise_add", "for two shapes it is broadcast_add, for a number it is _plus_scalar"),
        ("np.random.power", "_npi_powerd", "np.random.power means _npi_powerd"),
        ("np.add", "_npi_add", "np.add means _npi_add for two tensors; for a number it is _npi_add_scalar"),
        ("nd.np.subtract", "_npi_subtract", "for a number and a tensor it is _npi_rsubtract_scalar"),
        ("np.nonzero", "_npx_nonzero", "np.nonzero means _npx_nonzero; it also calls _np_transpose"),
        ("nd.random.normal", "_random_normal", "for tensors it is _sample_normal"),
        ("nd.zeros", "_zeros", "nd.zeros means _zeros"),
        ("sym.contrib.foreach", "_foreach", "sym.contrib.foreach means _foreach"),
        ("nd.np.exp", "_npi_exp", ""),
        ("sym.npx.softmax", "softmax", ""),
        ("_add", "elemwise_add", ""),
        ("nd.softmax", "softmax", ""),
    ],
)
def test_what_was_chosen_is_told(names: Names, text: str, operator: str, note: str) -> None:
    match = names.resolve(text)
    assert match.operator.name == operator
    assert note in match.note
    assert bool(match.note) == bool(note)
    assert names.notes([text, "soft*"]) == ([match.note] if note else [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nd.contrib.isinf", "nd.contrib.isinf is not an operator: it calls abs and _equal_scalar; choose from abs, "),
        ("np.cov", "np.cov is not an operator: it is computed by NumPy, not by MXNet$"),
        ("mx.nd.waitall", "mx.nd.waitall is not an operator: it computes nothing in MXNet$"),
        ("npx.image.set_np", "it computes nothing in MXNet$"),
        ("np.insert", "choose from _npi_insert_scalar, _npi_insert_slice, _npi_insert_tensor$"),
        ("nd.contrib.foreach", "it calls the Python functions that it is given; .*; choose from _foreach$"),
        ("np.deg2rad", r"it calls _npi_deg2rad, which MXNet 1\.9\.1 doesn't register$"),
    ],
)
def test_a_function_that_is_no_operator_says_why(names: Names, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        names.resolve(text)


def test_the_series_of_a_release_decides(names: Names, next_release: Release) -> None:
    later = Names(next_release.registry, FRONT_END)
    for text in ("np.positive", "np.linalg.matrix_rank", "np.interp"):
        with pytest.raises(UsageError, match="computed by NumPy"):
            names.resolve(text)
    assert later.resolve("np.positive").operator.name == "_npi_copy"
    assert "for none it is _npi_matrix_rank_none_tol" in later.resolve("np.linalg.matrix_rank").note
    assert later.resolve("np.interp").operator.name == "_npi_interp"
    assert later.resolve("np.deg2rad").operator.name == "_npi_radians"
    assert (names.resolve("np.reshape").name, later.resolve("np.reshape").name) == ("_np_reshape", "_npx_reshape")


@pytest.mark.parametrize("text", ["nd.plus", "sym.add", "nd.backward_softmax", "np.xyzzy", "nd.np.xyzzy"])
def test_a_path_of_no_function_means_nothing(names: Names, text: str) -> None:
    with pytest.raises(UnknownNameError):
        names.resolve(text)
    assert answer_of(names, text).kind is Kind.UNKNOWN


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "modulo", "power", "equal", "true_divide"])
def test_a_plain_name_is_answered_with_what_it_may_mean(names: Names, name: str) -> None:
    broadcast = names.resolve(f"nd.{name}").operator.name
    with pytest.raises(UnknownNameError, match=rf"it may mean nd\.{name} \({broadcast}\)"):
        names.resolve(name)


def test_a_plain_name_means_functions_of_several_namespaces(names: Names) -> None:
    with pytest.raises(UnknownNameError, match=r"it may mean nd\.add \(broadcast_add\), .*np\.add \(_npi_add\)"):
        names.resolve("add")


def test_a_plain_name_of_a_function_that_is_no_operator_says_why(names: Names) -> None:
    with pytest.raises(UsageError, match=r"np\.cov is not an operator: it is computed by NumPy"):
        names.resolve("cov")


def _meanings(entry: Meaning | BySeries) -> tuple[Meaning, ...]:
    return (entry.series_1, entry.series_2) if isinstance(entry, BySeries) else (entry,)


def test_every_entry_of_the_table_is_registered_somewhere(registry: Registry, next_release: Release) -> None:
    known = {name for one in (registry, next_release.registry) for operator in one.operators for name in operator.names}
    broken = {"np.deg2rad", "np.rad2deg", "sym.np.deg2rad", "sym.np.rad2deg"}
    for path, entry in FRONT_END.items():
        for meaning in _meanings(entry):
            listed = meaning.names if isinstance(meaning, Means) else meaning.calls
            assert not listed or known & set(listed) or path in broken, path
            for other in meaning.others if isinstance(meaning, Means) else ():
                assert known & set(other.names), path


def test_every_entry_of_the_table_is_a_function_somewhere() -> None:
    """Apart from helpers, which stand in more namespaces than import them."""
    functions = {path for version in front_end_names.RELEASES for path in read_calls(version)}
    helpers = set(front_end._HELPERS.split())
    assert [path for path in FRONT_END.keys() - functions if path.rpartition(".")[2] not in helpers] == []


def test_no_function_has_two_entries() -> None:
    paths = [path for path, _ in front_end._table()]
    assert len(paths) == len(set(paths)) == len(FRONT_END)


def test_a_glob_sees_functions_of_the_front_end(names: Names) -> None:
    assert {match.operator.name for match in names.matching("mx.nd.sub*")} == {"broadcast_sub"}
    assert {"add_n", "broadcast_add"} <= {match.operator.name for match in names.matching("nd.add*")}
