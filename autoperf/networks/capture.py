"""The capture of networks: from a model, a symbol file or a block, with its parameters, to a file of cases."""

from __future__ import annotations

import io
import math
import struct
import zipfile
import zlib
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autoperf import __version__
from autoperf.cases.release import Release, open_release, subject
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.errors import CaseFileError, EngineError, UnknownNameError, UsageError
from autoperf.core.files import read_input
from autoperf.core.options import DEFAULT_TIMEOUT
from autoperf.core.tensors import AnyContent, ArrayType, Constant, Normal, Patterned, Shape, Uniform
from autoperf.core.texts import count
from autoperf.networks import source
from autoperf.networks.calls import NetworkGraph
from autoperf.networks.captured import CapturedNetwork, by_operator, captured, in_turn, merged
from autoperf.registry.calls import UNKNOWN_DIMENSION, InferredGraph
from autoperf.reports.units import first_of
from autoperf.runs.run_writer import check_output

_FILE, _ARRAY_2, _ARRAY_3 = 0x112, 0xF993FAC9, 0xF993FACA
_DTYPES = {0: "<f4", 1: "<f8", 2: "<f2", 3: "u1", 4: "<i4", 5: "i1", 6: "<i8"}
"""NumPy's dtypes by MXNet's codes."""
_DENSE = 0
MAX_BYTES = 2**32
MIN_SIZES, MAX_NAMES = 2, 5
FEW = 0.1
"""The least share of zeros that a content states."""
FEW_DEVIATIONS = 4
"""The standard deviations within which a normal distribution has numbers in practice."""


class _Reader:
    """Reads numbers in order. Raises ValueError beyond the end."""

    def __init__(self, data: bytes) -> None:
        self._data, self._place = data, 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack(f"<{form}", self._bytes(struct.calcsize(f"<{form}")))
        return int(value)

    def text(self) -> str:
        return self._bytes(self.number("Q")).decode()

    def array(self) -> npt.NDArray[np.generic]:
        """A dense array."""
        if self.number("I") not in (_ARRAY_2, _ARRAY_3) or self.number("i") != _DENSE:
            raise ValueError("an array of it is sparse, or of a version before MXNet 1.0")
        shape = [self.number("q") for _ in range(self.number("i"))]
        self._bytes(8)  # The device.
        dtype = np.dtype(_DTYPES[self.number("i")])
        return np.frombuffer(self._bytes(math.prod(shape) * dtype.itemsize), dtype).reshape(shape)

    def arrays(self) -> list[tuple[str, npt.NDArray[np.generic]]]:
        """The arrays of a file by MXNet 1, by name."""
        if self.number("Q") != _FILE:
            raise ValueError("it begins otherwise")
        self.number("Q")
        arrays = [self.array() for _ in range(self.number("Q"))]
        names = [self.text() for _ in range(self.number("Q"))]
        return list(zip(names, arrays, strict=True))

    def _bytes(self, count: int) -> bytes:
        part = self._data[self._place : self._place + count]
        if not 0 <= count == len(part):
            raise ValueError("it ends too early")
        self._place += count
        return part


class StoredParameter(NamedTuple):
    """The shape of a stored array, and a content like its numbers; None unless they are floating-point numbers."""

    shape: Shape
    content: AnyContent | None


def stored_parameters(path: Path) -> dict[str, StoredParameter]:
    """Each array of the file by its name. Raises CaseFileError for another file."""
    try:
        data = read_input(path, max_bytes=MAX_BYTES)
        if data.startswith(b"PK"):
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                # By MXNet 2. What is no array, as in a file by PyTorch, comes as bytes.
                arrays = [(name, values) for name, values in file.items() if isinstance(values, np.ndarray)]
        else:
            arrays = _Reader(data).arrays()
    except (struct.error, ValueError, LookupError, zipfile.BadZipFile, zlib.error) as error:
        raise CaseFileError(
            f"invalid --params-file {path}: expected the parameters of `HybridBlock.export` or `nd.save` "
            f"(model-0000.params): {error}"
        ) from None
    contents = {}
    for name, values in arrays:
        is_float = values.size and values.dtype.kind == "f"
        stored = StoredParameter(values.shape, content_of(values) if is_float else None)
        contents[name.removeprefix("arg:").removeprefix("aux:")] = stored
    return contents


def content_of(values: npt.NDArray[np.generic]) -> AnyContent:
    """A content like these numbers: their mean and spread, with a pattern if many are zero or subnormal."""
    numbers = values.astype(np.float64)
    numbers = numbers[np.isfinite(numbers)]
    others = np.abs(numbers[numbers != 0])
    if not others.size:
        return Constant(0.0)
    if np.ptp(numbers) == 0:
        return Constant(float(numbers[0]))
    is_subnormal = others < np.finfo(values.dtype.name).tiny
    if np.mean(is_subnormal) > 1 / 2:
        return Patterned(Normal(), "subnormal")
    kept = others.size / numbers.size
    numbers = numbers[numbers != 0]
    mean, std = numbers.mean(), numbers.std()
    # Of one sign if they are, since the square root of a variance is taken.
    reach = min(abs(mean), math.sqrt(3) * std)
    plain: Normal | Uniform = Uniform(_rounded(mean - reach), _rounded(mean + reach))
    if abs(mean) > FEW_DEVIATIONS * std or numbers.min() < 0 < numbers.max():
        plain = Normal(_rounded(mean), _rounded(std))
    return Patterned(plain, "zeros", kept=round(kept, 3)) if kept < 1 - FEW else plain


def _rounded(number: float) -> float:
    return float(f"{number:.3g}")


@dataclass(frozen=True)
class CaptureRequest:
    """The networks to capture, their batch sizes (empty: not given), and the file for their cases.

    `inputs` are texts of tensors by name, of each network. `training` captures a pass in training mode, whose cases
    have a backward pass. `timeout` and `memory` are the seconds and bytes that the tracing of one may take.
    `parameters` is the file of the stored parameters; contents are like theirs then. `in_turn`: the whole is also
    captured with all sizes in turn.
    """

    sources: tuple[source.NetworkSource, ...]
    output: Path
    inputs: dict[str, str]
    batches: tuple[int, ...] = ()
    training: bool = False
    parameters: Path | None = None
    library: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    memory: int = 4 * 2**30
    in_turn: bool = False


def capture(request: CaptureRequest) -> list[CapturedNetwork]:
    """Captures each network at each batch size, and writes all cases to one file. Raises AutoperfError."""
    check_output(request.output)
    source.check_distinct(request.sources)
    if request.in_turn and (len(request.batches) < MIN_SIZES or request.training):
        raise UsageError("--in-turn calls a network with several sizes, in inference: give --batch 10,50; no --train")
    with open_release(request.library) as release:
        mxnet = release.registry.mxnet
        needs_package = any(each.kind != "symbol" for each in request.sources)
        if needs_package and not release.backend.has_package(release.library):
            raise UsageError(
                f"MXNet {mxnet} in {release.library} has no Python package to trace a network: install it by `autoperf "
                f"releases install --package {mxnet}`, capture with another release (leave out --mxnet), whose cases "
                "this one runs too, or give a symbol file"
            )
        networks = list(_networks(request, release))
        parts = by_operator(merged(case for network in networks for case in network.parts))
        whole = merged(case for network in networks for case in network.whole)
        if not (parts or whole):
            first = networks[0]
            reasons = (f"{each.call.node} ({each.call.operator}): {each.reason}" for each in first.refusals)
            reason = next(reasons, f"it calls no operator; {first.no_whole}")
            raise UsageError(f"no call of {first.name} can be measured: {reason}")
        header = CasesHeader(VERSION, __version__, mxnet, 0)
        write_cases(request.output, header, [*parts, *whole])
    return networks


def _networks(request: CaptureRequest, release: Release) -> Iterator[CapturedNetwork]:
    for origin, name in source.distinct_names(request.sources).items():
        sizes = []
        for batch in request.batches or (1,):
            if origin.kind == "symbol":
                text, variables = source.read_symbol(Path(origin.location)), {name: name for name in request.inputs}
                traced = source.TracedNetwork(text, request.inputs, variables)
            else:
                # Each in a process of its own: the front end numbers names of one process, and a user's file may choose
                # arrays of NumPy, and import modules beside it.
                with source.TracingClient(release.library, request.timeout, request.memory) as client:
                    traced = client.trace(origin, request.inputs, batch)
            sizes.append(_network(request, release, name, traced, batch))
            yield sizes[-1]
        if request.in_turn:
            label = source.size_label(traced.inputs, ",".join(map(str, request.batches)))
            yield in_turn(f"{name}, {label} in turn", sizes)


def _network(
    request: CaptureRequest, release: Release, name: str, traced: source.TracedNetwork, batch: int
) -> CapturedNetwork:
    size = source.size_label(traced.inputs, batch)
    if request.batches and not size:
        raise UsageError(f"--batch sets N in shapes, but no input of {name} has it: --input data=Nx3x224x224")
    tensors = {
        traced.variables[name]: draft
        for name, draft in source.drafts(traced.inputs, batch).items()
        if name in traced.variables
    }
    variables = source.variables_of(traced.text)
    for variable in tensors:
        if variable not in variables:
            raise UnknownNameError(f"input of {name}", variable, variables)
    known = {name: ArrayType(draft.shape, draft.dtype or "") for name, draft in tensors.items()}
    try:
        graph = release.client.graph(traced.text, known)
    except EngineError as error:
        raise EngineError(f"{name} can't be captured: {error}") from None
    label = ", ".join(filter(None, (name, size, "training" if request.training else "")))
    subject_of = cache(partial(subject, release))
    contents, note = _stored(request.parameters, name, graph, tensors) if request.parameters else ({}, "")
    network = captured(label, NetworkGraph(graph, tensors, contents), subject_of, training=request.training)
    return replace(network, note=note)


def _stored(path: Path, name: str, graph: InferredGraph, inputs: Container[str]) -> tuple[dict[str, AnyContent], str]:
    """The parameters' contents in this file, and in words what it lacks. Raises UsageError for another network's."""
    stored = stored_parameters(path)
    shapes = {node.name: node.outputs[0].shape for node in graph.nodes if not node.operator}
    contents = {key: each.content for key, each in stored.items() if key in shapes and each.content is not None}
    if not contents:
        raise UsageError(
            f"invalid --params-file {path}: it has no floating-point parameter of {name}, whose variables are "
            f"{_few(shapes)}; its arrays are {_few(stored)}"
        )
    for key in contents:
        if stored[key].shape != shapes[key] and UNKNOWN_DIMENSION not in shapes[key]:
            raise UsageError(
                f"invalid --params-file {path}: its {key} has the shape {stored[key].shape}, but that of {name} "
                f"{shapes[key]} with these inputs: give the file of this network"
            )
    parameters = [key for key in shapes if key in stored or key not in inputs]
    missing = [key for key in parameters if key not in stored]
    other = [key for key in stored if key not in shapes]
    lacks = (
        f"has none of {len(missing)} of {count(len(parameters), 'parameter')} ({_few(missing)}), which are drawn as "
    )
    parts = [f"{lacks}without a file"] if missing else []
    parts += [f"has {count(len(other), 'array')} that the network doesn't have ({_few(other)})"] if other else []
    return contents, f"{name}: {path} {'; it '.join(parts)}" if parts else ""


def _few(names: Iterable[str]) -> str:
    return ", ".join(first_of([*names], MAX_NAMES)) or "none"
