"""The capture of networks: from a model, a symbol file or a block to a file of cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

from autoperf import __version__
from autoperf.cases.release import Release, open_release, subject
from autoperf.cases.store import VERSION, CasesHeader, write_cases
from autoperf.core.errors import EngineError, UsageError
from autoperf.core.options import DEFAULT_TIMEOUT
from autoperf.core.tensors import AnyContent, ArrayType
from autoperf.networks.calls import DEFAULT_DTYPE, NetworkGraph
from autoperf.networks.captured import CapturedNetwork, by_operator, captured, merged
from autoperf.networks.parameters import stored_contents
from autoperf.networks.source import (
    NetworkSource,
    check_variables,
    distinct_names,
    drafts,
    read_symbol,
    size_label,
    variables_of,
)
from autoperf.networks.tracing_client import TracedNetwork, TracingClient
from autoperf.runs.run_writer import check_output


@dataclass(frozen=True)
class CaptureRequest:
    """The networks to capture, their batch sizes (empty: not given), and the file for their cases.

    `inputs` are texts of tensors by name, of each network. `training` captures a pass in training mode, whose cases
    have a backward pass. `timeout` and `memory` are the seconds and bytes that the tracing of one may take.
    `parameters` is the file of the stored parameters; contents are like theirs then.
    """

    sources: tuple[NetworkSource, ...]
    output: Path
    inputs: dict[str, str]
    batches: tuple[int, ...] = ()
    training: bool = False
    parameters: Path | None = None
    library: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    memory: int = 4 * 2**30


def capture(request: CaptureRequest) -> list[CapturedNetwork]:
    """Captures each network at each batch size, and writes all cases to one file. Raises AutoperfError."""
    check_output(request.output)
    with open_release(request.library) as release:
        _check_front_end(request, release)
        networks = list(_networks(request, release))
        parts = by_operator(merged(case for network in networks for case in network.parts))
        whole = merged(case for network in networks for case in network.whole)
        if not (parts or whole):
            first = networks[0]
            reason = first.refusals[0].reason if first.refusals else f"it calls no operator; {first.no_whole}"
            raise UsageError(f"no call of {first.name} can be measured: {reason}")
        header = CasesHeader(VERSION, __version__, release.registry.mxnet, 0)
        write_cases(request.output, header, [*parts, *whole])
    return networks


def _check_front_end(request: CaptureRequest, release: Release) -> None:
    """Raises UsageError if a network needs the Python package of a release that has none."""
    mxnet = release.registry.mxnet
    if any(source.kind != "symbol" for source in request.sources) and not release.backend.has_package(release.library):
        raise UsageError(
            f"MXNet {mxnet} in {release.library} has no Python package to trace a network: install it by `autoperf "
            f"releases install --package {mxnet}`, capture with another release (leave out --mxnet), whose cases this "
            "one runs too, or give a symbol file"
        )


def _networks(request: CaptureRequest, release: Release) -> Iterator[CapturedNetwork]:
    names = distinct_names(request.sources)
    with TracingClient(release.library, request.timeout, request.memory) as client:
        for source, batch in product(request.sources, request.batches or (1,)):
            traced = _traced(request, client, source, batch)
            yield _network(request, release, names[source], traced, batch)


def _traced(request: CaptureRequest, client: TracingClient, source: NetworkSource, batch: int) -> TracedNetwork:
    """The network's graph; a symbol file has it."""
    if source.kind != "symbol":
        return client.trace(source, request.inputs, batch)
    text = read_symbol(Path(source.location))
    return TracedNetwork(text, request.inputs, {name: name for name in request.inputs})


def _network(
    request: CaptureRequest, release: Release, name: str, traced: TracedNetwork, batch: int
) -> CapturedNetwork:
    size = size_label(traced.inputs, batch)
    if request.batches and not size:
        raise UsageError("--batch sets N in the shapes of the inputs, but none has it: --input data=Nx3x224x224")
    tensors = {
        traced.variables[name]: draft
        for name, draft in drafts(traced.inputs, batch).items()
        if name in traced.variables
    }
    check_variables(name, traced.text, list(tensors))
    known = {name: ArrayType(draft.shape, draft.dtype or DEFAULT_DTYPE) for name, draft in tensors.items()}
    try:
        graph = release.client.graph(traced.text, known)
    except EngineError as error:
        raise EngineError(f"{name} can't be captured: {error}") from None
    parts = [name, size, "training" if request.training else ""]
    label = ", ".join(filter(None, parts))
    subject_of = cache(partial(subject, release))
    network = NetworkGraph(graph, tensors, _stored(request.parameters, name, traced.text))
    return captured(label, network, subject_of, training=request.training)


def _stored(path: Path | None, name: str, text: str) -> dict[str, AnyContent]:
    """The contents of the network's parameters in this file. Raises UsageError for a file that has none of them."""
    if path is None:
        return {}
    variables = variables_of(text)
    found = {parameter: content for parameter, content in stored_contents(path).items() if parameter in variables}
    if not found:
        raise UsageError(
            f"invalid --params-file {path}: it has no floating-point parameter of {name}, whose variables are "
            f"{', '.join(variables[:5])}, ..."
        )
    return found
