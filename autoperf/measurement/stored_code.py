"""Code that the header of a stored run or hunt names: it runs only if the command line names it too."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autoperf.backends.lookup import parse_framework
from autoperf.backends.releases import INSTALLED, is_version
from autoperf.core.errors import UsageError
from autoperf.measurement.case_files import files_in

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
    """Files of cases and rules, and builds, variables and frameworks of the sides: the options that can name code.

    `against` is the framework that a hunt compares MXNet with.
    """

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
        for path in map(_absolute, self.rules):
            yield OptionWords("--rules", path, names_code=True)
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
    missing = dict.fromkeys(words for words in stored.words() if words.names_code and words not in repeated)
    if missing:
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
