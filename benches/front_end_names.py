"""Does autoperf resolve the functions of MXNet's front end to the operators that they call?

    python benches/front_end_names.py                      # the installed MXNet: calls every public function
    python benches/front_end_names.py --mxnet 2.0.0b1      # fetches its Python package into a temporary folder
    python benches/front_end_names.py --all                # also the functions that agree
    python benches/front_end_names.py --write              # keeps the calls in ledgers/, and fills the page
    python benches/front_end_names.py --page               # fills docs/reference/names.md; calls nothing

benches/front_end_calls.py imports the front end in a process of its own and calls the functions. Ends with 1 if a
function is unknown to autoperf, or resolved to another operator than the one that ran.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import NamedTuple, TypeAlias

from autoperf.backends.mxnet.backend import find_library
from autoperf.cases.release import open_release
from autoperf.core.errors import LibraryError, UnknownNameError, UsageError
from autoperf.core.operator import Registry
from autoperf.registry.names import Means, Names, NoOperator
from autoperf.reports.layout import cells, heading
from autoperf.rules.front_end import FRONT_END

ROOT = Path(__file__).resolve().parents[1]
CALLS = Path(__file__).with_name("front_end_calls.py")
INSTALLED, NEXT = RELEASES = ("1.9.1", "2.0.0b1")
PAGE = ROOT / "docs" / "reference" / "names.md"
# The profiler's names of operators of MXNet's oldest interface, and of those that OpenCV computes.
PROFILED = {"BinaryOp": "_onehot_encode", "Imdecode": "_cvimdecode", "Imread": "_cvimread"}
# Why a function has no call to compare with: by the end of its path, and with its releases.
NOT_CALLED = {
    "it calls the functions that it is given": ("cond", "foreach", "while_loop"),
    "it raises an error for any inputs in this release": (
        *("deg2rad", "rad2deg", "nd.imdecode", "imrotate", "random_rotate", "sym.contrib.adamw_update"),
        *("sym.contrib.mp_adamw_update", "sym.np.append", "sym.np.concatenate", "sym.np.full", "sym.np.linspace"),
    ),
    "it ends its process in this release": ("np.linalg.vecdot",),
    "it needs a GPU": ("get_cuda_compute_capability", "gpu_memory_info"),
    "for a symbol it returns nothing": ("sym.np.random.shuffle", "sym.contrib.check_call"),
}
# The form of a generated function, as benches/front_end_calls.py names it.
WRAPPER = "any inputs"
# The front end converts inputs of other dtypes before an operator; that is not the function.
CONVERSIONS = frozenset({"Cast"})
# By function, by the form of its call: the operators that ran.
Calls: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]


class Kind(str, Enum):
    """How many operators a function leads to."""

    ONE = "one"
    BY_INPUTS = "by inputs"
    SEVERAL = "several"
    NONE = "none"
    UNKNOWN = "unknown"


class Answer(NamedTuple):
    """What autoperf says about a function: the operators, the resolved one first, and why it resolves none."""

    kind: Kind
    operators: tuple[str, ...]
    reason: str = ""


class Verdict(NamedTuple):
    """A function, what autoperf says, the operators that ran, and whether they agree; None if it couldn't be called.

    A `generated` function wasn't called: its operator is in its code.
    """

    path: str
    answer: Answer
    ran: frozenset[str]
    agrees: bool | None
    generated: bool

    @property
    def line(self) -> str:
        """For a person."""
        word = {True: "agrees", False: "differs", None: "not called"}[self.agrees]
        said = " ".join(self.answer.operators) or self.answer.reason
        return f"{word:10}  {self.path}: {self.answer.kind.value}: {said}; ran: {' '.join(sorted(self.ran)) or '-'}"


def answer_of(names: Names, path: str) -> Answer:
    """What autoperf says about a function."""
    meaning = names.meaning(path)
    try:
        match = names.resolve(path)
    except UnknownNameError as unknown:
        return Answer(Kind.UNKNOWN, (), str(unknown))
    except UsageError as refusal:
        calls = names.registered(meaning.calls) if isinstance(meaning, NoOperator) else ()
        reason = str(refusal).partition("not an operator: ")[2].partition("; choose from")[0]
        return Answer(Kind.SEVERAL if calls else Kind.NONE, calls, reason)
    others = [name for other in meaning.others for name in other.names] if isinstance(meaning, Means) else []
    also = meaning.also if isinstance(meaning, Means) else ()
    kind = Kind.BY_INPUTS if names.registered(others) else Kind.ONE
    return Answer(kind, tuple(dict.fromkeys([match.operator.name, *names.registered((*others, *also))])))


def verdicts(registry: Registry, calls: Calls) -> Iterator[Verdict]:
    """Whether autoperf agrees with each function."""
    names = Names(registry, FRONT_END)
    canonical = {name: operator.name for operator in registry.operators for name in operator.names} | PROFILED
    for path, forms in calls.items():
        answer = answer_of(names, path)
        told = {canonical[name] for name in answer.operators}
        ran = frozenset(canonical.get(name, name) for form in forms.values() for name in form)
        agreement = agrees(answer, told, ran) if forms or answer.kind is Kind.UNKNOWN else None
        yield Verdict(path, answer, ran, agreement, WRAPPER in forms)


def agrees(answer: Answer, told: Set[str], ran: frozenset[str]) -> bool | None:
    """Whether a function called what it is said to call.

    All operators that are told ran in some form of the call, and no other. None if it took other inputs only than those
    for which it is resolved.
    """
    if answer.kind is Kind.UNKNOWN:
        return False
    if answer.kind is Kind.BY_INPUTS and answer.operators[0] not in ran and ran <= told:
        return None
    return told <= ran <= told | CONVERSIONS


def call_functions(paths: Sequence[str] = (), home: Path | None = None) -> Calls:
    """What the front end's functions call; `home` is a folder with another package `mxnet`."""
    environment = {**os.environ, "PYTHONPATH": str(home)} if home else dict(os.environ)
    command = [sys.executable, str(CALLS), *paths]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    calls: Calls = json.loads(ended.stdout)
    return calls


def public_functions() -> list[str]:
    """The paths of the installed front end's public functions; nothing is called."""
    command = [sys.executable, str(CALLS), "--list"]
    listed: list[str] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return listed


@contextmanager
def package(version: str) -> Iterator[Path | None]:
    """A folder with the Python package of a release; None for the installed one."""
    if version == INSTALLED:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", folder]
        subprocess.run([*pip, f"mxnet=={version}"], check=True, capture_output=True)
        yield Path(folder)


def ledger(version: str) -> Path:
    """The file that keeps what the functions of a release call."""
    return ROOT / "ledgers" / f"front-end-{version}.json"


def read_calls(version: str) -> Calls:
    """What was kept."""
    calls: Calls = json.loads(ledger(version).read_text(encoding="utf-8"))
    return calls


def write_calls(version: str, calls: Calls) -> None:
    """Keeps what was called, with a line for each function."""
    lines = [f"  {json.dumps(path)}: {json.dumps(calls[path])}" for path in sorted(calls)]
    ledger(version).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def open_registry(version: str) -> Registry:
    """The registry of a release."""
    with open_release(str(find_library(None if version == INSTALLED else version))) as release:
        return release.registry


def blocks(registries: Mapping[str, Registry]) -> dict[str, str]:
    """The page's generated blocks, from what was kept for these releases."""
    found = {version: list(verdicts(registry, read_calls(version))) for version, registry in registries.items()}
    return {
        "functions": _functions(found),
        "none": _reasons(found),
        "agreement": _agreement(found),
        "not called": _not_called(found),
    }


def _functions(found: Mapping[str, Sequence[Verdict]]) -> str:
    """The functions of each release by namespace, counted with its sub-namespaces."""
    kinds = [kind for kind in Kind if kind is not Kind.UNKNOWN]
    titles = [("MXNet", False), ("namespace", False), ("functions", True), *((kind.value, True) for kind in kinds)]
    text = heading(titles)
    for version, verdicts_of_release in found.items():
        counts = Counter((verdict.path.partition(".")[0], verdict.answer.kind) for verdict in verdicts_of_release)
        for space in dict.fromkeys(space for space, _ in counts):
            row = [counts[space, kind] for kind in kinds]
            text += cells((version, space, *(f"{count:,}" for count in (sum(row), *row))))
    return text


def _reasons(found: Mapping[str, Sequence[Verdict]]) -> str:
    counts = Counter(
        (verdict.answer.reason.replace(f"MXNet {version}", "this release"), version)
        for version in found
        for verdict in found[version]
        if verdict.answer.kind is Kind.NONE
    )
    text = heading([("why none", False), *((version, True) for version in found)])
    for reason in sorted({reason for reason, _ in counts}):
        text += cells((reason, *(str(counts[reason, version]) for version in found)))
    return text


def _agreement(found: Mapping[str, Sequence[Verdict]]) -> str:
    titles = ("functions", "agree, called", "agree, generated", "differ", "not called")
    text = heading([("MXNet", False), *((title, True) for title in titles)])
    for version, every in found.items():
        count = Counter(verdict.agrees for verdict in every)
        generated = sum(verdict.agrees is True and verdict.generated for verdict in every)
        numbers = (len(every), count[True] - generated, generated, count[False], count[None])
        text += cells((version, *(f"{number:,}" for number in numbers)))
    return text


def _not_called(found: Mapping[str, Sequence[Verdict]]) -> str:
    counts = Counter(
        (why(verdict.path), version) for version in found for verdict in found[version] if verdict.agrees is None
    )
    text = heading([("why not called", False), *((version, True) for version in found)])
    for reason in NOT_CALLED:
        text += cells((reason, *(str(counts[reason, version]) for version in found)))
    return text


def why(path: str) -> str:
    """The reason why a function can't be called; KeyError for one without a reason."""
    for reason, ends in NOT_CALLED.items():
        if any(f".{path}".endswith(f".{end}") for end in ends):
            return reason
    raise KeyError(path)


def main() -> int:
    """Prints where autoperf and the front end differ, and how often they agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mxnet", default=INSTALLED)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    try:
        return write_page() if options.page else compare(options.mxnet, every=options.all, write=options.write)
    except LibraryError as error:
        sys.exit(str(error))


def write_page() -> int:
    """Fills docs/reference/names.md."""
    sys.path.append(str(ROOT))
    from tools.page_blocks import fill  # noqa: PLC0415 - the generators of pages are no package of autoperf

    fill(PAGE, blocks({version: open_registry(version) for version in RELEASES}))
    return 0


def compare(version: str, every: bool, write: bool) -> int:
    """Calls the functions of a release, prints where autoperf differs, and keeps what was called."""
    with package(version) as home:
        calls = call_functions(home=home)
    if write:
        write_calls(version, calls)
        write_page()
    found = list(verdicts(open_registry(version), calls))
    for verdict in found:
        if every or verdict.agrees is False:
            print(verdict.line)
    count = Counter(verdict.agrees for verdict in found)
    print(f"{len(found)} functions = {count[True]} agree + {count[False]} differ + {count[None]} not called")
    return 1 if count[False] else 0


if __name__ == "__main__":
    raise SystemExit(main())
