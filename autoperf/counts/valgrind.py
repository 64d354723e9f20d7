"""The valgrind of this machine: where it is, what it lacks, and how it runs a process that is counted."""

from __future__ import annotations

import platform
import re
import shutil
from functools import cache
from pathlib import Path

from autoperf.core.errors import ProcessError, UsageError
from autoperf.counts.requests import PROCESSOR, PROGRAM, chosen_counter
from autoperf.processes.child_process import program_output
from autoperf.processes.counters import INSTRUCTIONS, require_counters

OPTIONS = "VALGRIND_OPTS"
MIN_VERSION = (3, 15)
INSTALL = "on Debian or Ubuntu: `apt-get install valgrind`"
_VERSION = re.compile(r"valgrind-(\d+)\.(\d+)")
_UNHANDLED = re.compile(r"unhandled instruction bytes: ((?:0x[0-9A-F]+ ?)+)")


class Valgrind:
    """A valgrind that can count."""

    def __init__(self, program: Path, version: tuple[int, int]) -> None:
        self.program = program
        self.name = f"valgrind {version[0]}.{version[1]}"

    def command(self, dumps: Path) -> tuple[str, ...]:
        """What stands before the command of a process whose counts go to files in a folder.

        Nothing is instrumented or counted before the process asks for it. Code that a library generates is checked for
        changes, since valgrind would else run what it has translated before.
        """
        return (
            *(str(self.program), "--quiet", "--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no"),
            *("--sigill-diagnostics=yes", "--smc-check=all-non-file", f"--callgrind-out-file={dumps}/%p"),
        )


def find_valgrind() -> Valgrind:
    """The valgrind on the path. Raises UsageError where there is none, or one that is too old."""
    if platform.machine() != "x86_64":
        raise UsageError(f"valgrind counts on x86-64 only; this machine is {platform.machine()}")
    found = shutil.which(PROGRAM)
    if found is None:
        raise UsageError(f"valgrind counts instructions, but is not installed; {INSTALL}")
    try:
        answer = program_output([found, "--version"]).decode(errors="replace")
    except ProcessError as error:
        raise UsageError(f"{found} can't be run: {error}; {INSTALL}") from error
    match = _VERSION.search(answer)
    if match is None:
        raise UsageError(f"{found} --version says {answer.strip()!r}, which is no version of valgrind; {INSTALL}")
    version = int(match[1]), int(match[2])
    if version < MIN_VERSION:
        least = ".".join(map(str, MIN_VERSION))
        raise UsageError(f"{found} is version {match[1]}.{match[2]}, but counting needs {least}; {INSTALL}")
    return Valgrind(Path(found), version)


@cache
def hides_avx512(cpu_info: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this processor has AVX-512, which valgrind doesn't show to the libraries that choose code by it."""
    try:
        return " avx512f " in cpu_info.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def unknown_instruction(log: str) -> str | None:
    """The first bytes of an instruction that valgrind doesn't know, by the log of a process that died of it."""
    match = _UNHANDLED.search(log)
    return match[1].strip() if match else None


def require_counter(counters: tuple[str, ...], count_by: str | None, ctx: str) -> None:
    """Raises UsageError where these events can't be counted so."""
    chosen = chosen_counter(counters, count_by)
    if chosen == PROCESSOR:
        require_counters(counters)
    if chosen != PROGRAM:
        return
    if others := [name for name in counters if name != INSTRUCTIONS.name]:
        raise UsageError(f"valgrind counts instructions, not {', '.join(others)}: expected --counters instructions")
    if not ctx.startswith("cpu"):
        raise UsageError(f"valgrind counts on the CPU only, not on {ctx}: leave out --counters or --ctx")
    find_valgrind()
