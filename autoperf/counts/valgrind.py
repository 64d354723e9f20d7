"""The valgrind of this machine: what it lacks, how it runs a process and is asked by it, and when it counts at all."""

from __future__ import annotations

import ctypes as c
import mmap
import platform
import re
import shutil
import struct
from functools import cache
from pathlib import Path

from autoperf.core.errors import CounterError, ProcessError, UsageError
from autoperf.processes.child_process import program_output
from autoperf.processes.counters import INSTRUCTIONS, require_counters, unavailable

PROCESSOR, PROGRAM = "processor", "valgrind"
"""The two ways to count: by the processor's own counters, or by a program that runs the process."""


def chosen_counter(counters: tuple[str, ...], count_by: str | None) -> str:
    """What counts these events: as asked for, else the processor where it can; empty without counters."""
    if not counters or count_by:
        return count_by or "" if counters else ""
    needs_processor = any(name != INSTRUCTIONS.name for name in counters)
    return PROCESSOR if needs_processor or not unavailable(INSTRUCTIONS) else PROGRAM


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


_CALLGRIND = ord("C") << 24 | ord("T") << 16
_ZERO, _TOGGLE, _DUMP, _START = (_CALLGRIND + number for number in range(1, 5))
_RUNNING_ON_VALGRIND = 0x1001
_WORDS = 6
_CODE_BYTES = 1 << 16
_ALIGNMENT = 16

_PREAMBLE = bytes.fromhex("48c1c703 48c1c70d 48c1c73d 48c1c733 4887db")  # rol rdi, n (4 times); xchg rbx, rbx
_ZERO_EDX = bytes.fromhex("31d2")
_RETURN = bytes.fromhex("c3")
_MOV_R10, _MOV_R11, _MOV_RAX = (bytes.fromhex(code) for code in ("49ba", "49bb", "48b8"))  # of the next 8 bytes
_CALL_R10 = bytes.fromhex("41ffd2")
_POP_TO_R11, _PUSH_FROM_R11 = bytes.fromhex("418f03"), bytes.fromhex("41ff33")  # the word at the address in R11
_STORE = {"rax": bytes.fromhex("498903"), "rdi": bytes.fromhex("49893b"), "rdx": bytes.fromhex("498913")}
_LOAD = {"rax": bytes.fromhex("498b03"), "rdi": bytes.fromhex("498b3b"), "rdx": bytes.fromhex("498b13")}
# RAX has the number of vector registers in a variadic call, the other two are arguments.
_CLOBBERED = ("rdi", "rdx", "rax")


class Requests:
    """The requests of this process, whose machine code lives as long as the object. Raises CounterError elsewhere than
    on x86-64 Linux."""

    def __init__(self) -> None:
        if platform.machine() != "x86_64":
            raise CounterError(f"instructions are counted by valgrind on x86-64 only, not on {platform.machine()}")
        self._memory = mmap.mmap(-1, _CODE_BYTES, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._base = c.addressof(c.c_char.from_buffer(self._memory))
        self._used = 0
        self._counting: dict[int, int] = {}
        # mov rax, rdi; the request; mov rax, rdx
        code = bytes.fromhex("4889f8") + _ZERO_EDX + _PREAMBLE + bytes.fromhex("4889d0") + _RETURN
        self._make = c.CFUNCTYPE(c.c_uint64, c.c_void_p)(self._place(code))

    def _place(self, content: bytes) -> int:
        """The address of a copy of these bytes."""
        begin = -(-self._used // _ALIGNMENT) * _ALIGNMENT
        self._used = begin + len(content)
        self._memory[begin : self._used] = content
        return self._base + begin

    def _request(self, number: int, argument: int = 0) -> int:
        words = (c.c_uint64 * _WORDS)(number, argument)
        return int(self._make(c.addressof(words)))

    @property
    def is_answered(self) -> bool:
        """Whether valgrind runs this process."""
        return self._request(_RUNNING_ON_VALGRIND) > 0

    def start(self) -> None:
        """Has valgrind instrument the code that runs from now on, so that it can be counted."""
        self._request(_START)

    def zero(self) -> None:
        """Sets all counts to zero."""
        self._request(_ZERO)

    def toggle(self) -> None:
        """Begins or ends counting."""
        self._request(_TOGGLE)

    def dump(self, name: str) -> None:
        """Writes all counts since `zero` to the next file of this process, with a name."""
        text = c.create_string_buffer(name.encode())
        self._request(_DUMP, c.addressof(text))

    def counting(self, function: int) -> int:
        """The address of a function that calls the one at this address and counts only while that runs.

        It can be called with any arguments, since the stack is the caller's: the return address is taken off while the
        function runs. It must not be called again before it returns.
        """
        if function not in self._counting:
            words = self._place(struct.pack(f"<{_WORDS}Q", _TOGGLE, *[0] * (_WORDS - 1)))
            caller, *saved = (self._place(bytes(8)) for _ in range(1 + len(_CLOBBERED)))
            toggle = _MOV_RAX + _word(words) + _ZERO_EDX + _PREAMBLE
            toggle = _moved(_STORE, saved) + toggle + _moved(_LOAD, saved)
            code = _MOV_R11 + _word(caller) + _POP_TO_R11 + toggle + _MOV_R10 + _word(function) + _CALL_R10
            self._counting[function] = self._place(code + _MOV_R11 + _word(caller) + _PUSH_FROM_R11 + toggle + _RETURN)
        return self._counting[function]


def _word(value: int) -> bytes:
    return struct.pack("<Q", value)


def _moved(instructions: dict[str, bytes], places: list[int]) -> bytes:
    """The code that stores the registers that a request changes, or loads them."""
    return b"".join(
        _MOV_R11 + _word(place) + instructions[name] for name, place in zip(_CLOBBERED, places, strict=True)
    )
