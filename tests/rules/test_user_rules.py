"""Rules that a user hands in: read from files, put before the built-in ones, and blamed by name for what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from autoperf.cases.build import Recipe, build
from autoperf.cases.release import Release, open_release
from autoperf.core.errors import RuleError, UserRuleError
from autoperf.core.operator import Operator
from autoperf.core.tensors import Integers
from autoperf.core.work import Work, work_of
from autoperf.rules.catalog import Catalog, catalog
from autoperf.rules.operators import nn_basic
from autoperf.rules.rule import Draft, Exclusion, InputSpec, Rule, Tier, inputs
from autoperf.rules.sandbox import Limits, user_rules

RULE = """\
from autoperf.rules.rule import Draft, Exclusion, Reason, inputs, rule, tensor

@rule("softmin", category="activation", canonical={"tiny": inputs(data=tensor(4, 4))})
def softmin(draw, spec):
    return inputs(data=Draft((2, 2)))
"""
HALF = 'from .plain import softmin as plain\n\nif plain.names != ("softmin",):\n    raise ValueError(plain.names)\n'
UNREADABLE = {
    "division": ("1 / 0", r"mine\.py, line 6: ZeroDivisionError"),
    "unknown module": ("import no_such_module", r"mine\.py, line 6: ModuleNotFoundError"),
    "bad syntax": ("def (", r"mine\.py, line 6: SyntaxError"),
    "a file that ends the program": ("raise SystemExit(3)", r"mine\.py, line 6: SystemExit: 3"),
    "a file that ends the process": (
        "import os; os._exit(3)",
        r"mine\.py: can't read the rules: the process ended without an answer \(exit status 3\)",
    ),
    "a file that crashes": (
        "import os; os.abort()",
        r"mine\.py: can't read the rules: the process ended without an answer \(SIGABRT\)",
    ),
    "a file that reads past memory": (
        "import ctypes; ctypes.string_at(0)",
        r"mine\.py: can't read the rules: the process ended without an answer \(SIGSEGV\)",
    ),
    "a file that is interrupted": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "a file that asks": ("input()", r"mine\.py, line 6: EOFError"),
    "a name that is a number": (
        "wrong = rule(5, category='activation', canonical={})(lambda draw, spec: inputs())",
        "invalid operator 5 of type int",
    ),
    "names without a comma": (
        "alone = Exclusion('softmin', Reason.NO_KERNEL, 'Not here.')",
        "the exclusion 'Not here.': invalid operators 'softmin': expected a tuple of names",
    ),
    "an unknown category": (
        "rule('exp', category='softer', canonical={})(lambda draw, spec: inputs())",
        "unknown category 'softer'",
    ),
    "another rule for the name": (
        "@rule('softmin', category='activation', canonical={})\ndef twin(draw, spec): ...",
        r"user_rules/mine\.py:softmin and user_rules/mine\.py:twin; keep one",
    ),
}
DRAWS = {
    "an error": ("draw.foo", "user_rules/mine.py:softmin: AttributeError"),
    "nothing": ("None", "invalid inputs of type NoneType: expected inputs(...)"),
    "an unknown dtype": ("inputs(data=Draft((2,), 'float3'))", "unknown dtype of data in user_rules/mine.py:softmin"),
    "a shape of text": ("inputs(data=Draft(('2',)))", "invalid shape ('2',) of the tensor data"),
    "a density of 150%": ("inputs(data=Draft((2, 2), storage='csr', density=1.5))", "tensor data: invalid density 1.5"),
    "a list that holds no tensors": ("inputs(data=[3])", "invalid tensor data of type int: expected a Draft"),
    "a parameter called as a keyword": ("inputs(**{'lambda': 3})", "invalid name 'lambda' of an input or a parameter"),
    "an input of two words": ("inputs(**{'a b': Draft((2,))})", "invalid name 'a b' of an input or a parameter"),
    "a parameter that is no value": (
        "inputs(data=Draft((2,)), axis=object())",
        "invalid parameter: expected a plain value",
    ),
}
CANONICAL = {
    "an error": ("lambda spec: 1 / 0", "user_rules/mine.py:softmin: its canonical inputs: ZeroDivisionError"),
    "no profile": ("{}", "not empty"),
    "no mapping": ("lambda spec: [inputs()]", "invalid canonical: expected a mapping"),
    "no inputs": ("{'small': dict(data=3)}", "invalid inputs of type dict: expected inputs(...)"),
}


def write(folder: Path, text: str, name: str = "mine.py") -> Path:
    file = folder / name
    file.write_text(text)
    return file


Own = Callable[..., Catalog]


@pytest.fixture
def own() -> Iterator[Own]:
    """Reads rules, which can be asked until the test is over."""
    with ExitStack() as stack:
        yield lambda *paths, seconds=60.0: stack.enter_context(user_rules(paths, Limits(seconds))).catalog


def softmin(release: Release, own: Own, path: Path) -> Rule:
    found = catalog().with_user_rules(own(path)).find(operator(release, "softmin"))
    assert isinstance(found, Rule)
    return found


def operator(release: Release, name: str) -> Operator:
    match = release.registry.find(name)
    assert match
    return match


STATING = """
from autoperf.core.tensors import Integers

TINY = {depth: inputs(indices=tensor(4), depth=int(depth)) for depth in ("10", "7")}

@rule("one_hot", category="indexing", canonical=TINY,
      contents=lambda case: {"indices": Integers(0, case.params["depth"])})
def one_hot(draw, spec):
    return inputs(indices=Draft((3,)), depth=7)
"""


def test_a_rule_states_what_tensors_hold_by_the_call(release: Release, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(RULE + STATING)
    operator = release.registry.find("one_hot")
    assert operator
    with user_rules([file]) as mine:
        stating = mine.catalog.named["one_hot"]
        cases = build(operator, stating, Recipe(draws=0), release.client).cases
        assert [case.inputs[0].tensor.content for case in cases] == [Integers(0, 10), Integers(0, 7)]
        broken = msgspec.structs.replace(cases[0], params={})
        with pytest.raises(UserRuleError, match=r"mine\.py:one_hot: its contents: KeyError"):
            stating.contents_of(broken)


def test_user_rules_come_before_built_in_ones(release: Release, own: Own, tmp_path: Path) -> None:
    built_in = catalog().find(operator(release, "softmin"))
    assert isinstance(built_in, Rule)
    assert softmin(release, own, write(tmp_path, RULE)).source == "user_rules/mine.py:softmin" != built_in.source


def test_an_alias_is_enough_and_an_exclusion_is_overruled(release: Release, own: Own, tmp_path: Path) -> None:
    names = RULE.replace('"softmin"', '"broadcast_plus", "_contrib_fft"')
    both = catalog().with_user_rules(own(write(tmp_path, names)))
    for name in ("broadcast_add", "_contrib_fft"):
        match = both.find(operator(release, name))
        assert isinstance(match, Rule)
        assert match.source == "user_rules/mine.py:softmin"


def test_an_operator_can_be_excluded_by_its_user(release: Release, own: Own, tmp_path: Path) -> None:
    text = RULE.splitlines()[0] + '\nslow = Exclusion(("softmin",), Reason.NO_KERNEL, "Not in this build.")\n'
    found = catalog().with_user_rules(own(write(tmp_path, text))).find(operator(release, "softmin"))
    assert isinstance(found, Exclusion)


def test_an_exclusion_of_a_later_release_leaves_the_rule_in_earlier_ones(tmp_path: Path) -> None:
    text = RULE.splitlines()[0] + '\nslow = Exclusion(("softmin",), Reason.NO_KERNEL, "Gone.", since=(2, 0))\n'
    with open_release("1.9.1", [write(tmp_path, text)]) as earlier:
        assert isinstance(earlier.catalog.find(operator(earlier, "softmin")), Rule)


def test_a_rule_by_signature_speaks_only_where_nothing_names_the_operator(
    release: Release, own: Own, tmp_path: Path
) -> None:
    text = RULE.replace('"softmin", ', "matches=lambda operator: True, ")
    layered = catalog([nn_basic]).with_user_rules(own(write(tmp_path, text)))
    named, other = layered.find(operator(release, "softmin")), layered.find(operator(release, "exp"))
    assert isinstance(named, Rule)
    assert isinstance(other, Rule)
    assert (named.source[:6], other.source) == ("rules/", "user_rules/mine.py:softmin")
    assert layered.tiers((operator(release, "exp"),)) == {other.source: Tier.INFERRED}


def test_a_folder_is_read_whole_and_its_files_may_import_each_other(own: Own, tmp_path: Path) -> None:
    write(tmp_path, RULE, "plain.py")
    write(tmp_path, HALF, "half.py")
    write(tmp_path, "not Python", "notes.txt")
    assert own(tmp_path).named["softmin"].source == "user_rules/plain.py:softmin"


def test_two_paths_are_kept_apart_and_read_anew(own: Own, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = write(tmp_path / "a", RULE)
    second = write(tmp_path / "b", RULE.replace('"softmin"', '"exp"'))
    both = own(first, second)
    assert {name: rule.source for name, rule in both.named.items()} == {
        "softmin": "user_rules/mine.py:softmin",
        "exp": "user_rules1/mine.py:softmin",
    }
    assert set(own(second).named) == {"exp"}


@pytest.mark.parametrize("fault", UNREADABLE)
def test_a_file_that_fails_is_named_with_its_line(own: Own, tmp_path: Path, fault: str) -> None:
    line, words = UNREADABLE[fault]
    with pytest.raises(RuleError, match=words):
        own(write(tmp_path, f"{RULE}{line}\n"))


def test_a_path_without_rules_is_a_mistake(own: Own, tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="expected an existing Python file"):
        own(tmp_path / "none.py")
    with pytest.raises(RuleError, match="or a folder with Python files"):
        own(tmp_path)
    with pytest.raises(RuleError, match="or a folder with Python files"):
        own(write(tmp_path, RULE, "rules.txt"))
    with pytest.raises(RuleError, match="expected at least one rule"):
        own(write(tmp_path, "x = 1\n", "empty.py"))


@pytest.mark.parametrize("fault", DRAWS)
def test_a_draw_that_fails_names_its_rule(release: Release, own: Own, tmp_path: Path, fault: str) -> None:
    drawn, words = DRAWS[fault]
    rule = softmin(release, own, write(tmp_path, RULE.replace("inputs(data=Draft((2, 2)))", drawn)))
    built = build(operator(release, "softmin"), rule, Recipe(draws=1), release.client)
    assert [case.profile for case in built.cases] == ["tiny"]
    (rejection,) = built.rejections
    assert (rejection.failed, rejection.profile, built.missing_draws) == (True, "drawn", 1)
    assert words in rejection.reason


@pytest.mark.parametrize("fault", CANONICAL)
def test_canonical_inputs_that_fail_name_their_rule(release: Release, own: Own, tmp_path: Path, fault: str) -> None:
    canonical, words = CANONICAL[fault]
    text = RULE.replace('{"tiny": inputs(data=tensor(4, 4))}', canonical).replace("(2, 2)", "draw(shapes(1, 2))")
    text = f"from autoperf.strategies import shapes\n{text}"
    rule = softmin(release, own, write(tmp_path, text))
    built = build(operator(release, "softmin"), rule, Recipe(draws=1), release.client)
    assert [case.profile for case in built.cases] == ["drawn"]
    (rejection,) = built.rejections
    assert (rejection.failed, rejection.profile) == (True, "canonical")
    assert words in rejection.reason


BACKWARD = """\
from autoperf.rules.arithmetic import NONLINEAR
from autoperf.rules.rule import Draft, inputs, rule, tensor

@rule("softmin", category="activation", canonical={"tiny": inputs(data=tensor(4, 4))}, backward=given)
def softmin(draw, spec):
    return inputs(data=Draft((2, 2)))
"""


def test_a_user_rule_may_count_the_work_of_the_backward_pass(release: Release, own: Own, tmp_path: Path) -> None:
    rule = softmin(release, own, write(tmp_path, BACKWARD.replace("given", "NONLINEAR")))
    (case,) = build(operator(release, "softmin"), rule, Recipe(draws=0), release.client).cases
    assert rule.backward
    assert rule.backward(case, ("data",)) == Work(bytes_in=128.0, bytes_out=64.0, elements=16.0, flops=16.0)
    assert softmin(release, own, write(tmp_path, RULE)).backward is None


def test_a_user_rule_may_count_moves_and_name_dimensions(release: Release, own: Own, tmp_path: Path) -> None:
    counting = RULE.replace("category=", "moves=lambda case: 3 * 2, dims={'data': 'n c'}, category=")
    rule = softmin(release, own, write(tmp_path, counting))
    (case,) = build(operator(release, "softmin"), rule, Recipe(draws=0), release.client).cases
    assert rule.moves
    assert (rule.moves(case), rule.flops, rule.dims) == (6.0, None, {"data": "n c"})
    failing = softmin(release, own, write(tmp_path, RULE.replace("category=", "moves=len, category=")))
    assert failing.moves
    with pytest.raises(RuleError, match=r"mine\.py:softmin: its moves: TypeError"):
        failing.moves(case)


FACTS = """\
from autoperf.rules.rule import Draft, inputs, rule, tensor

def completed(call, spec):
    return inputs(data=Draft(call.tensors["data"].shape, "float64"))

@rule(
    "softmin",
    category="activation",
    canonical={"tiny": inputs(data=tensor(4, 4))},
    unread=("data",),
    varied={"data": "its zeros are skipped"},
    states=lambda case: ("data",),
    completion=completed,
    unsafe=lambda case: "" if case.inputs[0].tensor.shape[0] < 5 else "five rows overflow",
)
def softmin(draw, spec):
    return inputs(data=Draft((2, 2)))
"""


def test_a_user_rule_may_state_every_fact_of_a_rule(release: Release, own: Own, tmp_path: Path) -> None:
    rule = softmin(release, own, write(tmp_path, FACTS))
    (case,) = build(operator(release, "softmin"), rule, Recipe(draws=0), release.client).cases
    assert (rule.unread, rule.varied) == (("data",), {"data": "its zeros are skipped"})
    assert rule.updated(case) == ("data",)
    assert rule.forward_work(case).bytes_in == 0.0
    assert rule.misfit(case) == ""
    longer = msgspec.structs.replace(case.inputs[0].tensor, shape=(5, 4))
    argument = msgspec.structs.replace(case.inputs[0], tensor=longer)
    assert rule.misfit(msgspec.structs.replace(case, inputs=(argument,))) == "five rows overflow"
    assert rule.completion
    spec = InputSpec(operator(release, "softmin"))
    assert rule.completion(inputs(data=Draft((3, 3))), spec) == inputs(data=Draft((3, 3), "float64"))


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        ("states=lambda case: 'data'", "its states: ValidationError: Expected `array`, got `str`"),
        ("unsafe=lambda case: 3", "its check for safety: ValidationError: Expected `str`, got `int`"),
        ("states=lambda case: case.foo", "its states: AttributeError"),
    ],
)
def test_a_fact_that_fails_names_its_rule(release: Release, own: Own, tmp_path: Path, fact: str, words: str) -> None:
    plain = softmin(release, own, write(tmp_path, RULE, "plain.py"))
    (case,) = build(operator(release, "softmin"), plain, Recipe(draws=0), release.client).cases
    rule = softmin(release, own, write(tmp_path, RULE.replace("category=", f"{fact}, category=")))
    with pytest.raises(RuleError, match=words):
        (rule.updated if "states" in fact else rule.misfit)(case)


@pytest.mark.parametrize(
    ("backward", "words"),
    [
        ("lambda case, gradients: case.foo", "its backward work: AttributeError"),
        ("lambda case, gradients: 3", "its backward work: AttributeError"),
    ],
)
def test_a_count_of_backward_work_that_fails_names_its_rule(
    release: Release, own: Own, tmp_path: Path, backward: str, words: str
) -> None:
    rule = softmin(release, own, write(tmp_path, BACKWARD.replace("given", backward)))
    (case,) = build(operator(release, "softmin"), rule, Recipe(draws=0), release.client).cases
    assert rule.backward
    with pytest.raises(RuleError, match=words):
        rule.backward(case, ("data",))


@pytest.mark.parametrize(
    ("flops", "words"),
    [
        ("lambda case: case.foo", "its flops: AttributeError"),
        ("lambda case: None", "its flops: TypeError"),
        ("lambda case: float('nan')", "invalid count nan"),
        ("lambda case: -1", "invalid count -1.0"),
    ],
)
def test_a_count_of_operations_that_fails_names_its_rule(
    release: Release, own: Own, tmp_path: Path, flops: str, words: str
) -> None:
    rule = softmin(release, own, write(tmp_path, RULE.replace("category=", f"flops={flops}, category=")))
    (case,) = build(operator(release, "softmin"), rule, Recipe(draws=0), release.client).cases
    with pytest.raises(RuleError) as caught:
        work_of(case, rule.flops)
    assert str(caught.value).startswith("user_rules/mine.py:softmin: its flops")
    assert words in str(caught.value)
