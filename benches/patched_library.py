"""Copies of MXNet's library in which functions are overwritten: wrong builds, made without a compiler."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

RETURN = b"\xc3"
"""x86-64: the function returns at once."""
_SEGMENT, _SECTION, _SYMBOL = struct.Struct("<IIQQQQQQ"), struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ")
_LOADED, _DYNAMIC_SYMBOLS, _FUNCTION = 1, 11, 2


class Function(NamedTuple):
    """An exported function: its mangled name, its place in the file, and its size in bytes."""

    name: str
    offset: int
    size: int


def functions(library: Path) -> Iterator[Function]:
    """The exported functions of a 64-bit ELF library."""
    with library.open("rb") as file:
        head = file.read(64)
        segments_at, sections_at = struct.unpack_from("<QQ", head, 32)
        segments, _, sections = struct.unpack_from("<HHH", head, 56)
        file.seek(segments_at)
        loaded = [entry for entry in _SEGMENT.iter_unpack(file.read(_SEGMENT.size * segments)) if entry[0] == _LOADED]
        file.seek(sections_at)
        entries = list(_SECTION.iter_unpack(file.read(_SECTION.size * sections)))
        table = next(entry for entry in entries if entry[1] == _DYNAMIC_SYMBOLS)
        names = entries[table[6]]
        file.seek(names[4])
        texts = file.read(names[5])
        file.seek(table[4])
        for name, kind, _, _, address, size in _SYMBOL.iter_unpack(file.read(table[5])):
            if kind & 15 == _FUNCTION and address:
                segment = next(entry for entry in loaded if entry[3] <= address < entry[3] + entry[5])
                text = texts[name : texts.index(b"\0", name)].decode()
                yield Function(text, address - segment[3] + segment[2], size)


def patched(library: Path, folder: Path, patches: Mapping[str, bytes]) -> Path:
    """A copy of a library, beside links to its neighbours, in which functions begin with other bytes.

    Each key is a part of the name of one or several functions. Raises KeyError for a part that no function has.
    """
    folder.mkdir(parents=True)
    copy = folder / library.name
    shutil.copyfile(library, copy)
    for neighbour in library.parent.glob("*.so*"):
        if neighbour.name != library.name:
            (folder / neighbour.name).symlink_to(neighbour)
    missing = set(patches)
    with copy.open("r+b") as file:
        for function in functions(library):
            for part, code in patches.items():
                if part in function.name:
                    missing.discard(part)
                    file.seek(function.offset)
                    file.write(code)
    if missing:
        raise KeyError(f"{library} has no function {', '.join(sorted(missing))}")
    return copy
