"""The supported versions of Python and NumPy."""

from __future__ import annotations

from autoperf.core.errors import UsageError

MIN_PYTHON, MAX_PYTHON = (3, 10), (3, 12)
MIN_NUMPY = (1, 24)
PACKAGE_NUMPY = (2, 0)
"""The first NumPy with which MXNet's Python package can't be imported: names such as `np.PZERO` are gone."""
NUMPY_ADVICE = "run `pip install 'numpy<2'`"


def check_python(version: tuple[int, ...]) -> None:
    """Raises UsageError for a Python that MXNet's wheels don't support."""
    if not MIN_PYTHON <= tuple(version[:2]) <= MAX_PYTHON:
        raise UsageError(f"Python {spell(version[:2])} is not supported; use Python 3.10, 3.11 or 3.12")


def check_numpy(version: str) -> None:
    """Raises UsageError for an old NumPy. There is no maximum: libmxnet.so doesn't use NumPy."""
    if parts(version) < MIN_NUMPY:
        raise UsageError(f"NumPy {version} is not supported; run `pip install 'numpy>=1.24'`")


def imports_package(version: str) -> bool:
    """Whether MXNet's Python package can be imported with this NumPy; names that 1.24 removed are put back for it."""
    return parts(version) < PACKAGE_NUMPY


def parts(version: str) -> tuple[int, ...]:
    """The first two numbers of a version."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def spell(version: tuple[int, ...]) -> str:
    """(3, 11) as 3.11."""
    return ".".join(map(str, version))
