"""Resuming an interrupted run: its options, its outcomes, and whether its circumstances are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path

import msgspec

from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import OwnInputs
from autoperf.cases.selection import Selection
from autoperf.core.errors import AutoperfError, CaseFileError, UsageError
from autoperf.core.files import file_digest
from autoperf.measurement.case_files import files_in
from autoperf.measurement.operator_batches import Batch, OperatorBatches
from autoperf.measurement.placement import check_processors
from autoperf.measurement.settings import Settings
from autoperf.reports.units import count
from autoperf.runs.environment import Machine, different_facts, facts_of
from autoperf.runs.run_writer import ResumableRun, open_for_resume
from autoperf.runs.runfile import RunHeader

_LABEL = re.compile(r"\w[\w.+-]*")


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options that determine the cases of a run and their measurement.

    `mxnet` has the releases as given (empty: the default one), `labels` their labels in this run, `label` this file's.
    `own` are the inputs of the command line, `command` made the run, and `digests` identify the source files of cases
    and rules. `frameworks` are as in the request.
    """

    selection: Selection
    recipe: Recipe
    settings: Settings
    cases: tuple[str, ...] = ()
    own: OwnInputs = OwnInputs()
    rules: tuple[str, ...] = ()
    mxnet: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    label: str = ""
    command: str = "run"
    digests: dict[str, str] = {}
    frameworks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises UsageError for invalid paths, and for labels that do not match the releases."""
        for name in (*self.cases, *self.rules, *self.mxnet):
            if "\0" in name:
                raise UsageError(f"invalid path {name!r}: expected no null character")
        for label in self.labels:
            if not _LABEL.fullmatch(label):
                raise UsageError(f"invalid label {label!r}: expected a release")
        releases = max(1, len(self.mxnet), len(self.frameworks))
        if self.command == "run" and self.labels and len(self.labels) != releases:
            raise UsageError(f"invalid labels {', '.join(self.labels)}: expected {releases}, one per release")
        if len(set(self.labels)) != len(self.labels):
            raise UsageError(f"invalid labels {', '.join(self.labels)}: expected each once")
        if self.labels and self.label not in self.labels:
            raise UsageError(f"invalid label {self.label!r}: expected one of {', '.join(self.labels)}")


MAY_CHANGE = (
    *("machine", "system", "processor", "usable processors", "memory in bytes", "governors", "Python", "NumPy"),
    *("MXNet's library", "MXNet's threads", "MXNet's gpus"),
)
"""Facts of a machine that may differ when a run is resumed."""
# autoperf's own folders do not affect which cases are measured.
_OWN_PREFIX = "AUTOPERF_"


@dataclass(frozen=True)
class ResumedRun:
    """A run to resume: the path of each release's run file, and its content; None if the file does not exist yet."""

    options: RunOptions
    paths: tuple[Path, ...]
    files: tuple[ResumableRun | None, ...]

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return all(file and file.complete for file in self.files)

    @property
    def notices(self) -> tuple[str, ...]:
        """A notice for each unreadable line of the run files."""
        return tuple(notice for file in self.files if file for notice in file.notices)

    @property
    def spent(self) -> float:
        """Seconds that the run has taken so far."""
        return max((file.seconds for file in self.files if file), default=0.0)

    def progress(self) -> Iterator[str]:
        """Notices of the numbers of kept outcomes, and of cases that only a part of the processes measured."""
        files = [file for file in self.files if file]
        yield f"{count(sum(len(file.cases) for file in files), 'outcome')} kept; the run is resumed"
        unfinished = sum(len(file.unfinished) for file in files)
        if unfinished:
            yield f"{count(unfinished, 'case')} whose measurement was interrupted: measured again"


def resume(path: Path, stack: ExitStack) -> ResumedRun:
    """The run of this file and of the other releases' files beside it, locked until the stack closes.

    Raises CaseFileError, OutputError, and UsageError if a source file of the cases has changed.
    """
    first = open_for_resume(path)
    stack.callback(first.file.close)
    options = options_of(path, first.header)
    if options.command != "run":
        raise UsageError(f"{path} is a run file of `autoperf {options.command}`, which can't be resumed")
    if options.settings.env:
        # A run has no option for variables, so its files have none.
        raise CaseFileError(
            f"{path} can't be resumed: its header sets the variables {', '.join(options.settings.env)}, which may run "
            "code: `autoperf run` writes none; remove `settings.env`, and set in your own environment what is needed"
        )
    paths = siblings(path, options)
    files = [first if sibling == path else _open_sibling(sibling, stack) for sibling in paths]
    resumed = ResumedRun(options, paths, tuple(files))
    if not resumed.complete:
        check_digests(path, options.digests, options.cases, options.rules)
    return resumed


def options_of(path: Path, header: RunHeader) -> RunOptions:
    """The options in a header. Raises CaseFileError if they are invalid."""
    try:
        options = msgspec.convert(header.options, RunOptions)
        check_processors(options.settings.cpus or ())
    except (msgspec.ValidationError, AutoperfError) as error:
        raise CaseFileError(f"{path} can't be resumed: invalid options in its header: {error}") from error
    # An unknown option would be ignored, and other cases be measured.
    for name in header.options["recipe"].keys() - {field.name for field in fields(Recipe)}:
        raise CaseFileError(f"{path} can't be resumed: invalid options in its header: unknown {name!r}")
    return options


def siblings(path: Path, options: RunOptions) -> tuple[Path, ...]:
    """The run files of all releases of this run, in order. Raises UsageError if the file was renamed."""
    if len(options.labels) < 2:
        return (path,)
    # A path without a suffix ends in the label, of which a part looks like one.
    suffix = "" if path.name.endswith(f"-{options.label}") else path.suffix
    stem = path.name.removesuffix(f"-{options.label}{suffix}")
    if stem == path.name:
        raise UsageError(
            f"{path} is one of {len(options.labels)} run files and was renamed: expected a name that ends in "
            f"-{options.label}, beside the other files"
        )
    return tuple(path.with_name(f"{stem}-{label}{suffix}") for label in options.labels)


def _open_sibling(path: Path, stack: ExitStack) -> ResumableRun | None:
    if not path.exists():
        return None
    run = open_for_resume(path)
    stack.callback(run.file.close)
    return run


def digests(cases: Iterable[Path], rules: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of each source file of cases and rules, by path."""
    files = list(files_in(cases))
    for path in rules:
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return {str(file.absolute()): _digest(file) for file in files}


def check_digests(
    path: Path, stored: Mapping[str, str], cases: Iterable[str], rules: Iterable[str], what: str = "run"
) -> None:
    """Raises UsageError if a source file of cases or rules has changed since the run or the hunt at `path` began."""
    now = digests(map(Path, cases), map(Path, rules))
    for name in sorted({*stored, *now}):
        if stored.get(name) != now.get(name):
            change = _change(stored.get(name), now.get(name))
            raise UsageError(
                f"{path} can't be resumed: {name} {change} since the {what} began, "
                f"so the cases would differ; restore it, or start a new {what}"
            )


def _change(was: str | None, now: str | None) -> str:
    if was is None:
        return "was added"
    return "has changed" if now else "was removed"


def _digest(file: Path) -> str:
    try:
        return file_digest(file)
    except (OSError, CaseFileError):
        # The reader of its content reports the error.
        return ""


def check_compatible(path: Path, was: ResumableRun, header: RunHeader, machine: Machine) -> list[str]:
    """A notice for each difference of the machine that may change measurements.

    Raises UsageError if the run would resume with another MXNet, other cases, or other settings.
    """
    framework = header.framework or "MXNet"
    before = {framework: was.header.mxnet, "autoperf": was.header.autoperf, **facts_of(was.machines[:1])}
    now = {framework: header.mxnet, "autoperf": header.autoperf, **facts_of([machine])}
    differences = list(different_facts(before, now))
    for name, value, current in differences:
        if name not in MAY_CHANGE and not name.startswith(_OWN_PREFIX):
            raise UsageError(
                f"{path} can't be resumed: expected {name} {value}, as when it began, got {current}; "
                "restore that, or start a new run"
            )
    changed = (difference for difference in differences if difference[0] in MAY_CHANGE)
    return [f"{name}: {value} when the run began, {current} now" for name, value, current in changed]


class Remaining:
    """Filters out cases that have an outcome already, those that occur again, and all but `only`, batch by batch."""

    def __init__(self, files: Sequence[ResumableRun | None], only: frozenset[str] = frozenset()) -> None:
        self._only = only
        self._done = [set(file.cases) if file else set() for file in files]
        self._unmatched = [set(done) for done in self._done]

    @property
    def unmatched(self) -> int:
        """The number of outcomes whose cases were not requested so far."""
        return sum(map(len, self._unmatched))

    def of(self, queue: Iterable[OperatorBatches]) -> Iterator[OperatorBatches]:
        """The queue without cases that have an outcome, each case once."""
        for batches in queue:
            yield tuple(self._batch(number, batch) for number, batch in enumerate(batches))

    def _batch(self, side: int, batch: Batch) -> Batch:
        skipped = tuple(outcome for outcome in batch.skipped if self._take(side, outcome.case))
        jobs = tuple(job for job in batch.jobs if self._take(side, job.case.id))
        return replace(batch, skipped=skipped, jobs=jobs)

    def _take(self, side: int, case: str) -> bool:
        """Whether the case is left to measure; from now on it is not."""
        self._unmatched[side].discard(case)
        is_left = case not in self._done[side] and (not self._only or case in self._only)
        self._done[side].add(case)
        return is_left
