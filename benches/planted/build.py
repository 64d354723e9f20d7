"""Compiles libraries of MXNet operators (extensions) with the C++ compiler that is there.

    export AUTOPERF_EXTENSIONS=$(python benches/planted/build.py)

prints where the planted operators are. They are compiled against the header that lies beside the library, so MXNet must
be an installed package; what was compiled is kept in autoperf's cache folder until the source, the header or the
compiler changes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from autoperf.backends.mxnet.backend import find_library
from autoperf.core.files import cache_folder

OPERATORS = Path(__file__).with_name("operators.cc")
COMPILERS = ("g++", "clang++", "c++")
FLAGS = ("-std=c++11", "-O2", "-shared", "-fPIC")


def compiler() -> str | None:
    """$CXX, else the first C++ compiler on the path; None where there is none."""
    wanted = os.environ.get("CXX")
    return shutil.which(wanted) if wanted else next(filter(None, map(shutil.which, COMPILERS)), None)


def build(library: Path, source: Path = OPERATORS, flags: tuple[str, ...] = FLAGS) -> Path:
    """The shared library of a source of operators, compiled for this MXNet if it isn't there yet.

    Ends the script with a message where there is no compiler, no header, or a source that doesn't compile.
    """
    header, glue = (library.parent / part for part in ("include/mxnet/lib_api.h", "src/lib_api.cc"))
    for file in (header, glue):
        if not file.is_file():
            raise SystemExit(f"{library} has no {file} beside it, against which operators in C++ are compiled")
    program = compiler()
    if program is None:
        raise SystemExit("there is no C++ compiler: on Debian `apt-get install g++`, or name one in CXX")
    parts = [program.encode(), " ".join(flags).encode(), *(file.read_bytes() for file in (source, header, glue))]
    name = f"{source.stem}-{hashlib.sha256(b'|'.join(parts)).hexdigest()[:12]}.so"
    target = cache_folder() / "extensions" / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            made = Path(folder) / name
            command = [program, *flags, f"-I{header.parents[1]}", str(source), str(glue), "-o", str(made)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"`{' '.join(command)}` failed:\n{done.stderr.strip()}")
            made.replace(target)
    return target


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mxnet", help="a release or a path, as autoperf takes them")
    print(build(find_library(parser.parse_args().mxnet)))
