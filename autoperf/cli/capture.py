"""`autoperf capture`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from autoperf.cli.command import Command
from autoperf.cli.option_types import BATCHES, expanded, ndjson_file
from autoperf.cli.options import extension_option, library_option, option_of
from autoperf.core import options as table
from autoperf.core.errors import Exit
from autoperf.core.texts import count
from autoperf.front.output import put, tell

if TYPE_CHECKING:
    from autoperf.networks.captured import CapturedNetwork

MAX_REFUSALS = 5


@click.command(cls=Command)
@click.argument("networks", nargs=-1, required=True, metavar="NETWORK...")
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=SHAPE",
    help="The shape of an input, with N for the batch size: data=Nx3x224x224, tokens=35xN:int32:integers(0, 10000). "
    "May be repeated. Models of the zoo and files that declare their inputs need none.",
)
@click.option(
    "--batch",
    "batches",
    type=BATCHES,
    metavar="A,B,C",
    default=(),
    help="The value of N, or several: 1,32. It is the batch size, or a length: data=1xNx16. Default: 1.",
)
@click.option(
    "--in-turn", "in_turn", is_flag=True,
    help="Also capture the network called with all values of N in turn, as bucketing and detection do.",
)  # fmt: skip
@click.option("--train", "training", is_flag=True, help="Capture a training pass: training mode, with a backward pass.")
@click.option(
    "--params-file",
    "parameters",
    metavar="FILE",
    callback=expanded,
    help="The network's stored parameters (model-0000.params): contents are drawn like theirs, with their shares of "
    "zeros, or subnormal.",
)
@extension_option
@library_option
@option_of(table.TIMEOUT, default="120s", help="Time limit to trace a network.")
@option_of(table.MEMORY_LIMIT)
@click.option(
    "--cases-file",
    "output",
    required=True,
    metavar="FILE",
    callback=ndjson_file,
    help="Write the cases (NDJSON) to this file, for `autoperf run --cases` and `autoperf hunt --cases`.",
)
def capture(
    networks: tuple[str, ...],
    inputs: tuple[str, ...],
    batches: tuple[int, ...],
    in_turn: bool,
    training: bool,
    parameters: Path | None,
    library: str | None,
    timeout: float,
    memory_limit: int | None,
    output: Path,
) -> int:
    """Write the operator calls of networks to a file of cases.

    A network is a model of Gluon's zoo (resnet50_v1), a layer (gluon.nn.Dense), a symbol file (model-symbol.json), or a
    function of a Python file that returns a block (net.py:make). Each distinct call is written once, with how often
    each network makes it, and the whole network in each way to run it: imperative, hybridized, static, and in inference
    fused by oneDNN.

    \b
    autoperf capture resnet50_v1 --batch 1,32 --cases-file resnet.ndjson
    autoperf capture net.py:make --input 'tokens=35xN:int32:integers(0, 10000)' --cases-file net.ndjson
    autoperf capture model-symbol.json --input data=1xNx16 --batch 10,50,200 --in-turn --cases-file model.ndjson
    """
    from autoperf.measurement.settings import Settings
    from autoperf.networks.capture import CaptureRequest
    from autoperf.networks.capture import capture as capture_network
    from autoperf.networks.source import parse_inputs, parse_source

    settings = Settings(timeout=timeout, memory_limit=memory_limit)
    sources = tuple(map(parse_source, networks))
    limits = settings.timeout, settings.bytes_allowed
    request = CaptureRequest(
        sources, output, parse_inputs(inputs), batches, training, parameters, library, *limits, in_turn
    )
    captured = capture_network(request)
    tell(dict.fromkeys(each.note for each in captured if each.note))
    for each in captured:
        put(f"{_summary(each)}\n")
        tell(_refusals(each))
    put(f"{output}: run it with `{shlex.join(['autoperf', 'run', '--cases', str(output)])}`\n")
    return Exit.FINE


def _summary(network: CapturedNetwork) -> str:
    operators = len({case.operator for case in network.parts})
    distinct = count(len(network.parts), "distinct call")
    parts = f"{distinct} of {count(operators, 'operator')}" if operators else "none by itself"
    refused = sum(refusal.call.count for refusal in network.refusals)
    return f"{network.name}: {count(network.calls, 'call')}, {parts}{f', {refused} not measured' if refused else ''}"


def _refusals(network: CapturedNetwork) -> list[str]:
    """Why the whole network isn't measured, and a line for each call that can't be measured by itself."""
    whole = [f"the whole network isn't measured: {network.no_whole}"] if network.no_whole else []
    lines = [f"  {refused.call.node} ({refused.call.operator}): {refused.reason}" for refused in network.refusals]
    hidden = len(lines) - MAX_REFUSALS
    shown = lines[:MAX_REFUSALS] + ([f"  and {hidden} more"] if hidden > 0 else [])
    where = "not measured:" if whole else "not measured by themselves, only in the whole network:"
    return [*whole, *([where, *shown] if lines else [])]
