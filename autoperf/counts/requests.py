"""What counts events, and requests of a process to the valgrind that runs it, also to count while C functions run.

Valgrind recognises a request by a sequence of instructions without effect: rotations of RDI by 3, 13, 61 and 51 bits,
128 in all, and an exchange of RBX with itself. RAX points to six words, the request and its arguments; the answer is
in RDX. Outside valgrind the sequence does nothing. The numbers are those of `valgrind.h` and `callgrind.h`.
"""

from __future__ import annotations

import ctypes as c
import mmap
import platform
import struct

from autoperf.core.errors import CounterError
from autoperf.processes.counters import INSTRUCTIONS, unavailable

PROCESSOR, PROGRAM = "processor", "valgrind"
"""The two ways to count: by the processor's own counters, or by a program that runs the process."""


def chosen_counter(counters: tuple[str, ...], count_by: str | None) -> str:
    """What counts these events: as asked for, else the processor where it can; empty without counters."""
    if not counters or count_by:
        return count_by or "" if counters else ""
    needs_processor = any(name != INSTRUCTIONS.name for name in counters)
    return PROCESSOR if needs_processor or not unavailable(INSTRUCTIONS) else PROGRAM


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
