"""The files of a run, one per side; and a run that is resumed from them."""

from __future__ import annotations

import datetime as dt
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from autoperf.backends.lookup import parse_framework
from autoperf.backends.releases import INSTALLED, is_version
from autoperf.cases.build import Recipe
from autoperf.cases.handwritten import OwnInputs
from autoperf.cases.selection import Selection
from autoperf.core.errors import AutoperfError, CaseFileError, UsageError
from autoperf.core.events import CaseFinished, Event, InputTried, Notice, Sink
from autoperf.core.files import cache_folder, file_digest
from autoperf.core.outcome import Outcome, ResumeMark, Status
from autoperf.core.texts import count
from autoperf.measurement.batches import OperatorBatches
from autoperf.measurement.case_files import files_in
from autoperf.measurement.placement import check_processors
from autoperf.measurement.settings import Settings
from autoperf.runs.run_writer import ResumableRun, RunWriter, default_path, open_for_resume
from autoperf.runs.runfile import Machine, RunEnd, RunHeader, different_facts, facts_of, value_of_side

# Variables of these libraries change how they compute. Any other variable may name code: LD_PRELOAD and LD_AUDIT of the
# loader, GCONV_PATH of the C library, PYTHONHOME of the interpreter, PATH of the programs that MXNet and Python start.
_TUNING = re.compile(r"(?:DNNL|GOMP|KMP|MALLOC|MKL|MXNET|OMP|ONEDNN|OPENBLAS)_\w+")
# Some of theirs do too, such as MXNET_LIBRARY_PATH and OMP_TOOL_LIBRARIES; others name files to write.
_NAMES_FILES = re.compile("CONF|DIR|FILE|HOME|LIB|PATH|PRELOAD|TOOL|TRACE")


class OptionWords(NamedTuple):
    """An option and its value as a command line has them, and whether they name code."""

    option: str
    value: str
    names_code: bool


@dataclass(frozen=True)
class StoredSources:
    """Files of cases and rules, builds, variables, frameworks: what can name code. A hunt compares with `against`."""

    cases: Sequence[str | Path] = ()
    rules: Sequence[str | Path] = ()
    libraries: Sequence[str] = ()
    environments: Sequence[Mapping[str, str]] = ()
    frameworks: Sequence[str] = ()
    against: str = ""

    def words(self) -> Iterator[OptionWords]:
        """Each option with its value; paths are absolute."""
        for path in map(_absolute, self.cases):
            yield OptionWords("--cases", path, any(file.suffix == ".py" for file in files_in([Path(path)])))
        yield from (OptionWords("--rules", path, names_code=True) for path in map(_absolute, self.rules))
        for library in self.libraries:
            is_release = library == INSTALLED or is_version(library)
            yield OptionWords("--mxnet", library if is_release else _absolute(library), not is_release)
        for framework in dict.fromkeys(self.frameworks):
            yield OptionWords("--framework", framework, parse_framework(framework).names_code)
        if self.against:
            yield OptionWords("--against", self.against, parse_framework(self.against).names_code)
        for side, variables in zip("AB", self.environments, strict=False):
            for name, value in variables.items():
                yield OptionWords("--env", f"{side}:{name}={value}", not is_harmless(name))


def is_harmless(variable: str) -> bool:
    """Whether a variable of the environment changes how a library computes, and names no code or file."""
    return _TUNING.fullmatch(variable) is not None and not _NAMES_FILES.search(variable)


def require_repeated(command: str, path: Path, stored: StoredSources, given: StoredSources) -> None:
    """Raises UsageError unless the command line repeats the options of a stored run or hunt that name code."""
    repeated = set(given.words())
    if missing := dict.fromkeys(words for words in stored.words() if words.names_code and words not in repeated):
        listed = ", ".join(f"{words.option} {words.value}" for words in missing)
        raise UsageError(
            f"{path} names code that its resume would run: {listed}; if you trust it, name it on the command line too: "
            f"`{resume_command(command, path, stored)}`"
        )


def require_named(path: Path, stored: StoredSources) -> None:
    """Raises UsageError if a finding that is timed again needs code that its log alone names."""
    for words in stored.words():
        if words.names_code:
            named = {"--mxnet": "name the builds on the command line", "--against": "name it on the command line"}
            trusted = named.get(words.option, "start a new hunt")
            raise UsageError(
                f"{path} names code that its replay would run: {words.option} {words.value}; if you trust it, {trusted}"
            )


def resume_command(command: str, path: Path, sources: StoredSources) -> str:
    """The command line that resumes a run or a hunt, with the options that name code."""
    options = (word for words in sources.words() if words.names_code for word in words[:2])
    return shlex.join(["autoperf", command, "--resume", str(path), *options])


def require_same_code(path: Path, stored: Mapping[str, str]) -> None:
    """Raises UsageError if a recorded variable that names code has another value in this process's environment."""
    for name, value in stored.items():
        if not is_harmless(name) and os.environ.get(name) != value:
            raise UsageError(
                f"{path} can't be resumed: its environment had {name}={value}, which may name code; "
                f"if you trust it, set the variable, or start a new hunt"
            )


def _absolute(path: str | Path) -> str:
    return str(Path(path).absolute())


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

    def own_side(self, values: tuple[str, ...]) -> tuple[str, ...]:
        """The value of this file's side, of one for each or one for all; none of none."""
        return value_of_side(values, self.labels, self.label)

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
        if unfinished := sum(len(file.unfinished) for file in files):
            yield f"{count(unfinished, 'case')} whose measurement was interrupted: measured again"


def resume(path: Path, stack: ExitStack) -> ResumedRun:
    """The run of this and sibling files, locked until the stack ends. Raises CaseFileError, OutputError, UsageError."""
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
    files: list[ResumableRun | None] = []
    for sibling in paths:
        file = first if sibling == path else None
        if file is None and sibling.exists():
            file = open_for_resume(sibling)
            stack.callback(file.file.close)
        files.append(file)
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


def digests(cases: Iterable[Path], rules: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of each source file of cases and rules, by path."""
    files = list(files_in(cases))
    for path in rules:
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    found = dict.fromkeys((str(file.absolute()) for file in files), "")
    for name in found:
        # The reader of its content reports the error.
        with suppress(OSError, CaseFileError):
            found[name] = file_digest(Path(name))
    return found


def check_digests(
    path: Path, stored: Mapping[str, str], cases: Iterable[str], rules: Iterable[str], what: str = "run"
) -> None:
    """Raises UsageError if a source file of cases or rules has changed since the run or the hunt at `path` began."""
    now = digests(map(Path, cases), map(Path, rules))
    for name in sorted({*stored, *now}):
        if stored.get(name) != now.get(name):
            change = ("has changed" if now.get(name) else "was removed") if name in stored else "was added"
            raise UsageError(
                f"{path} can't be resumed: {name} {change} since the {what} began, "
                f"so the cases would differ; restore it, or start a new {what}"
            )


def check_facts(path: Path, before: Mapping[str, Any], now: Mapping[str, Any], what: str = "run") -> list[str]:
    """A notice for each fact that has changed and may. Raises UsageError for another, with what can't be resumed."""
    differences = list(different_facts(before, now))
    for name, value, current in differences:
        if name not in MAY_CHANGE and not name.startswith(_OWN_PREFIX):
            raise UsageError(
                f"{path} can't be resumed: expected {name} {value}, as when it began, got {current}; "
                f"restore that, or start a new {what}"
            )
    changed = (difference for difference in differences if difference[0] in MAY_CHANGE)
    return [f"{name}: {value} when the {what} began, {current} now" for name, value, current in changed]


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
            yield tuple(
                replace(
                    batch,
                    skipped=tuple(outcome for outcome in batch.skipped if self._take(side, outcome.case)),
                    jobs=tuple(job for job in batch.jobs if self._take(side, job.case.id)),
                )
                for side, batch in enumerate(batches)
            )

    def _take(self, side: int, case: str) -> bool:
        """Whether the case is left to measure; from now on it is not."""
        self._unmatched[side].discard(case)
        is_left = case not in self._done[side] and (not self._only or case in self._only)
        self._done[side].add(case)
        return is_left


class RunFiles:
    """A sink that writes each outcome to its side's file at once; `only_refusals`: all so far are refused dtypes."""

    def __init__(self, writers: Sequence[RunWriter]) -> None:
        self._writers = writers
        self.first: Outcome | None = None
        self.only_refusals = True

    @property
    def counts(self) -> Counter[Status]:
        """The number of outcomes in all files, by status."""
        return sum((writer.counts for writer in self._writers), Counter())

    def handle(self, event: Event) -> None:
        """Writes an outcome. Raises OutputError, for instance if the disk is full."""
        if isinstance(event, CaseFinished):
            self._writers[event.side].add(event.outcome, event.replaced)
            self.first = self.first or event.outcome
            self.only_refusals &= bool(event.outcome.refused_dtype)

    def restored(self) -> Iterator[str]:
        """A notice for each file that was removed during the run."""
        for writer in self._writers:
            if writer.restored:
                yield f"{writer.path} was removed during the run, and was written again"

    def finish(self, seconds: float, complete: bool) -> Iterator[RunEnd]:
        """Writes and yields the last line of each file."""
        yield from (writer.finish(seconds, complete) for writer in self._writers)


class PathNotices:
    """A sink that names the files of a run or hunt with the first result: a refused command prints only its error."""

    def __init__(self, paths: Sequence[Path], sink: Sink) -> None:
        self._paths, self._sink = list(paths), sink

    def handle(self, event: Event) -> None:
        """Names the files after an outcome that isn't skipped, or an input of a hunt that was timed."""
        match event:
            case CaseFinished(outcome=outcome) if outcome.status is not Status.SKIPPED:
                self.tell()
            case InputTried(refused=""):
                self.tell()

    def tell(self) -> None:
        """Names the files once."""
        for path in self._paths:
            self._sink.handle(Notice(f"results: {path}"))
        self._paths.clear()


def writer_of(output: Path, header: RunHeader, machine: Machine, resumed: ResumableRun | None, sink: Sink) -> RunWriter:
    """A writer of a new or resumed run file; harmless changes are notices. Raises OutputError and UsageError."""
    if resumed is None:
        return RunWriter(output, header, machine)
    framework = header.framework or "MXNet"
    before = {framework: resumed.header.mxnet, "autoperf": resumed.header.autoperf, **facts_of(resumed.machines[:1])}
    after = {framework: header.mxnet, "autoperf": header.autoperf, **facts_of([machine])}
    for difference in check_facts(output, before, after):
        sink.handle(Notice(difference))
    now = machine.environment
    mark = ResumeMark(header.started, header.command, now.machine, now.load)
    return RunWriter(output, resumed.header, machine, resumed=resumed, mark=mark)


def labelled_path(path: Path, label: str) -> Path:
    """The path with a label: `run.ndjson` becomes `run-1.6.0.ndjson`."""
    return path.with_name(f"{path.stem}-{label}{path.suffix}")


def default_output() -> Path:
    """The run file of a run without --run-file: in the cache folder, named by its start time."""
    return default_path(cache_folder() / "runs", _stamp())


def default_hunt_folder() -> Path:
    """The folder of a hunt without --folder: in the cache folder, named by its start time. The hunt makes it."""
    return cache_folder() / "hunts" / _stamp()


def _stamp() -> str:
    return f"{dt.datetime.now(dt.timezone.utc):%Y%m%dT%H%M%SZ}-{os.getpid()}"
