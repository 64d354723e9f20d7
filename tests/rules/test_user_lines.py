"""Lines of a user's file: read in the sandbox as plain values, checked, and put before the built-in implementations."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autoperf.cases.release import Release, open_release
from autoperf.core.errors import RuleError, UserRuleError
from autoperf.implementations.lookup import implementation
from autoperf.rules.sandbox import Limits, UserRules, user_rules
from tests.implementations_cases import cases_of

HEAD = "from autoperf.implementations.implementation import TableLine, line\n\n"
LIMITS = Limits(60.0)
UNREADABLE = {
    "no expression": ("line('exp')", "line 3: a line needs operators, and an expression for one of numpy, torch, jax"),
    "no operator": ("line('', torch='data')", "line 3: a line needs operators"),
    "syntax": ("line('exp', torch='torch.exp(')", "line 3: invalid expression 'torch.exp(': "),
    "syntax of a condition": ("line('exp', numpy='data', when='axis =')", "line 3: invalid expression 'axis ='"),
    "an endless sum": ("line('exp', torch='data' + ' + data' * 100_000)", "line 3: invalid expression 'data + data + "),
    "an unknown framework": (
        "line('exp', tensorflow='tf.exp(data)')",
        "line 3: unknown framework or field of a line 'tensorflow'; known are both, cast, ",
    ),
    "an unknown framework without a gradient": (
        "line('exp', torch='data', undifferentiated='torhc')",
        "line 3: unknown framework 'torhc'; did you mean torch?",
    ),
    "an unknown precision": ("line('exp', torch='data', precision='half')", "line 3: unknown precision 'half'"),
    "a number for operators": (
        "line(5, torch='data')",
        "line 3: AttributeError: 'int' object has no attribute 'split'",
    ),
    "a number for an expression": (
        "line('exp', torch='data', prepare={'a': 5})",
        "line 3: a value that no line may have",
    ),
}


def write(folder: Path, *lines: str) -> Path:
    file = folder / "mine.py"
    file.write_text(HEAD + f"LINES = [{', '.join(lines)}]\n")
    return file


@pytest.fixture
def own(tmp_path: Path) -> Iterator[UserRules]:
    conditional = (
        "line('_softmax softmax', torch='torch.exp(data)', when='len(data.shape) == 1 or 1 // len(params) > 1')"
    )
    file = write(tmp_path, "line('exp', 'xp.exp(data)', jax='jnp.exp2(data)', note='mine')", conditional)
    with user_rules([file], LIMITS) as rules:
        yield rules


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, name: str) -> None:
    text, words = UNREADABLE[name]
    file = write(tmp_path, text)
    with pytest.raises(RuleError) as caught, user_rules([file], LIMITS):
        pass
    assert str(caught.value).startswith(f"{file}, ")
    assert words in str(caught.value)


def test_lines_come_as_plain_values_with_their_place(own: UserRules, tmp_path: Path) -> None:
    first, second = own.lines.values()
    assert first.source == second.source == f"{tmp_path / 'mine.py'}, line 3"
    assert first.line.expressions == {"numpy": "np.exp(data)", "torch": "torch.exp(data)", "jax": "jnp.exp2(data)"}
    assert first.names["torch"] == ("data", "torch")
    assert second.names["when"] == ("data", "len", "params")


def test_a_users_line_precedes_the_built_in_ones(own: UserRules, release: Release) -> None:
    operator = release.registry.find("exp")
    case = cases_of(operator, release)[0]
    chosen = implementation("jax", operator, case, own.implementations("jax", operator, case))
    assert (chosen.expression, chosen.origin, chosen.note) == ("jnp.exp2(data)", "user", "mine")
    assert chosen.differentiable
    assert not next(own.implementations("numpy", operator, case)).differentiable
    softmax = release.registry.find("softmax")
    assert list(own.implementations("jax", softmax, cases_of(softmax, release)[0])) == []


def test_a_condition_runs_in_the_sandbox_and_may_fail(own: UserRules, release: Release) -> None:
    operator = release.registry.find("softmax")
    case = next(case for case in cases_of(operator, release) if len(case.inputs[0].tensor.shape) > 1)
    with pytest.raises(
        UserRuleError, match=r"mine\.py, line 3: its condition: NameError: name 'params' is not defined"
    ):
        list(own.implementations("torch", operator, case))
    assert own.sandbox.failures


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("line('exp', torch='torch.exp(dota)')", "unknown name 'dota'"),
        ("line('exp', numpy='torch.exp(data)')", "unknown name in the NumPy expression of exp 'torch'"),
        ("line('softmax', torch='data', when='axes > 1')", "unknown name in when of softmax 'axes'; did you mean axis"),
        ("line('softmax', torch='data', compared='np.sort(results)')", "'results'; did you mean result?"),
        ("line('softmax', torch='softmax_of(data)', prepare={'a': 'axis'})", "'softmax_of'"),
    ],
)
def test_an_unknown_name_is_told_before_anything_runs(tmp_path: Path, text: str, words: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(RuleError) as caught, open_release(rules=[file]):
        pass
    assert str(caught.value).startswith(f"{file}, line 3: unknown name in ")
    assert words.removeprefix("unknown name ") in str(caught.value)


def test_names_of_operator_framework_and_vocabulary_are_known(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "line('sum', 'xp.sum(data, axes, keepdims=keepdims)', prepare={'axes': 'reduced_axes(data, axis, exclude)'})",
        "line('Custom', torch='anything')",
        "line('no_such_operator', torch='anything')",
    )
    with open_release(rules=[file]) as opened:
        assert [text.partition(": ")[0] for text in opened.unknown_names()] == [
            f"{file}, line 3 is for an operator that is not in MXNet {opened.version}"
        ]


def test_an_operator_of_no_release_is_told_of_mxnet_whatever_framework_runs_it(tmp_path: Path) -> None:
    file = write(tmp_path, "line('no_such_operator', numpy='anything')")
    with open_release(rules=[file], framework="numpy") as opened:
        assert [text.partition(": ")[0] for text in opened.unknown_names()] == [
            f"{file}, line 3 is for an operator that is not in MXNet {opened.registry.mxnet}"
        ]
