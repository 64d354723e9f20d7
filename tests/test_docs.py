"""Documents show commands, keys, files and links that exist, and messages that the program has."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import click
import msgspec
import pytest
from jsonschema import Draft202012Validator, ValidationError, validate

from autoperf.cases.handwritten_files import read_handwritten
from autoperf.cases.shorthand import parse_tensor
from autoperf.cases.suite import load
from autoperf.cli.command import read_configuration
from autoperf.cli.main import COMMANDS, autoperf
from autoperf.comparison.comparison import ComparedFigure, Comparison, Unmatched, VerdictCounts
from autoperf.comparison.report import COLUMNS as COMPARISON_COLUMNS
from autoperf.core.case import Case
from autoperf.core.coverage import Check, Health
from autoperf.core.errors import Exit, of_signal
from autoperf.core.machine import Roofline, Throughput
from autoperf.core.outcome import FigureWarning, Memory, Outcome, Pass, PassMemory, Series, Status
from autoperf.core.work import Work
from autoperf.networks.report import network_record
from autoperf.networks.times import network_times
from autoperf.runs.anomalies import Anomaly
from autoperf.runs.runfile import Machine, Provenance, RunEnd, RunHeader
from autoperf.summary.runs import known_columns
from tests.forked_program import Program
from tests.scripts import load_script
from tools.options_page import schemas
from tools.page_blocks import block_of
from tools.stored_run import read_run

ROOT = Path(__file__).parents[1]
TEXTS = {
    str(page.relative_to(ROOT)): page.read_text(encoding="utf-8")
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
}
SHOWN = re.compile(r"^(?:    |\$ )+(autoperf [a-z].*?)(?:\s+#.*)?$", re.MULTILINE)
NOT_PARSED = re.compile(r"\[--|--extension|\\$")
"""A synopsis, a file that must exist, a command of several lines."""


def shown_commands(text: str) -> list[str]:
    """The command lines of a page's blocks, without their comments, each once."""
    return sorted(set(SHOWN.findall(text)))


def parse(line: str) -> click.Context:
    """The context of the command that a line runs; a redirection is left out. Raises what click raises for mistakes."""
    name, *words = shlex.split(line.partition(" > ")[0])
    command: click.Command | None = autoperf
    context: click.Context | None = None
    while isinstance(command, click.Group):
        context = click.Context(command, parent=context)
        name, *words = words
        command = command.get_command(context, name)
    assert command, f"no command {name}"
    return command.make_context(name, words, parent=context)


LINES = sorted({line for text in TEXTS.values() for line in shown_commands(text) if not NOT_PARSED.search(line)})
LINKS = [
    (page, link)
    for page, text in TEXTS.items()
    if "/" not in page
    for link in re.findall(r"\]\(([^)\s]+)\)", text)
    if not link.startswith("http")
]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("line", LINES)
def test_every_command_line_parses(line: str) -> None:
    assert parse(line)


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_a_link_leads_somewhere(page: str, link: str) -> None:
    path, _, anchor = link.partition("#")
    target = ROOT / (path or page)
    assert target.exists()
    assert not anchor or anchor in anchors(target)


@pytest.mark.parametrize("name", ["run", "compare", "hunt"])
def test_the_readme_shows_a_result_of_its_command(name: str) -> None:
    refresh = load_script("tools", "refresh.py")
    shown = block_of(TEXTS["README.md"], name).splitlines()
    assert shown[1] == f"$ {refresh.COMMANDS[name]}"
    assert refresh.content(name, shown[2:-1]).splitlines() == shown


def test_the_page_of_options_has_those_of_every_command() -> None:
    page = load_script("tools", "options_page.py").page()
    assert {f"\n## {title}\n" in page for title in ("Inputs", "Machine")} == {True}
    assert re.search(r"\| --draws N \| [a-z, ]*\brun\b", page)
    assert all(re.search(rf"\| (?:.*, )?{name}\b", page) for name in COMMANDS)


PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text below the heading that begins so."""
    return PAGE.partition(f"\n## {title}")[2].partition("\n## ")[0]


def words(text: str) -> set[str]:
    """What stands in code marks or quotes."""
    return set(re.findall(r"[\"`]([a-z0-9_]+)[\"`]", text))


def keys(*kinds: type[msgspec.Struct]) -> set[str]:
    return {field.encode_name for kind in kinds for field in msgspec.structs.fields(kind)}


def without_prefixes(names: Iterable[str]) -> set[str]:
    """Names of columns without the pass and the clock that they begin with."""
    return {re.sub(r"^(?:forward|backward)_", "", name) for name in names}


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("The run file", keys(RunHeader, Machine, RunEnd, Outcome, Pass, Series, Memory, PassMemory, Work, Throughput)),
        ("The run file", keys(Anomaly, Provenance)),
        ("The run file", {status.value for status in Status} | {warning.value for warning in FigureWarning}),
        ("The case file", keys(Case) - keys(Outcome) | {"id", "case", "mxnet", "seed", "autoperf"}),
        ("`autoperf compare --format json`", keys(Comparison, ComparedFigure, Unmatched, VerdictCounts)),
        ("`autoperf doctor", keys(Check, Roofline) | {health.value for health in Health}),
    ],
    ids=["run file", "provenance and anomalies", "statuses and warnings", "case file", "comparison", "doctor"],
)
def test_a_section_names_every_key(title: str, names: set[str]) -> None:
    assert len(names) > 3
    assert names - words(section(title)) == set()


def test_every_column_of_a_run_is_named() -> None:
    named = words(section("Columns").partition("Of a comparison:")[0])
    parts = {
        re.sub(r"^(?:kernel|wall|instructions|cycles|python(?!_function))_", "", name)
        for name in without_prefixes(column.name for column in known_columns())
    }
    assert parts - named == set()


def test_every_column_of_a_comparison_is_named() -> None:
    named = words(section("Columns").partition("Of a comparison:")[2])
    assert {column.name for column in COMPARISON_COLUMNS} - named == set()


def test_every_column_of_the_csv_is_named() -> None:
    text = section("The CSV of a run")
    names = without_prefixes(column.csv for column in known_columns() if column.csv)
    parts = {re.sub(r"^(?:kernel|wall|instructions|cycles|python(?!_function))(?=_)", "", name) for name in names}
    named = {word.lstrip("_") for word in words(text)}
    assert {part.lstrip("_") for part in parts} - named == set()


def test_every_key_of_a_network_is_named() -> None:
    run = read_run(Path(__file__).parent / "data" / "stored" / "network-3.ndjson")
    (network,) = network_times(run.outcomes)
    record = network_record(network)
    rows = [row for rows in record.values() if isinstance(rows, list) for row in rows]
    assert len(rows) > 10
    assert {*record, *(key for row in rows for key in row)} - words(section("The run file")) == set()


def test_every_exit_code_is_named() -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", section("Exit codes"), re.MULTILINE)}
    assert codes == {*map(int, Exit), of_signal(signal.SIGTERM), of_signal(signal.SIGHUP)}


WORKFLOW = (Path(__file__).parents[1] / "docs" / "ci" / "nightly.yml").read_text()
NIGHTLY_COMMANDS = re.findall(r"(?:run: |\s{2,}|#\s+|&& )(autoperf [a-z].*?)(?= \|\| | && | > |\n)", WORKFLOW)


@pytest.mark.parametrize("line", NIGHTLY_COMMANDS)
def test_every_command_parses(line: str) -> None:
    assert parse(line).params


def test_the_nightly_job_makes_measures_and_keeps() -> None:
    assert [line.split()[1] for line in NIGHTLY_COMMANDS] == ["run", "report", "doctor", "gate", "history", "history"]


def test_a_step_of_the_nightly_job_runs(program: Program, tmp_path: Path) -> None:
    quick = ("--input-profile", "small", "--draws", "0", "--warmup", "1", "--samples", "3", "--processes", "2")
    baseline = program("run", "--operator", "exp", *quick, "--run-file", str(tmp_path / "baseline.ndjson"))
    assert baseline.returncode == 0, baseline.stderr
    (step,) = re.findall(r"compare\n\s+run: \|\n((?:\s{10}.*\n)+)", WORKFLOW)
    summary = tmp_path / "summary.md"
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment["GITHUB_STEP_SUMMARY"] = str(summary)
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step],
        check=False,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (Exit.FINE, Exit.FINDING, Exit.INCONCLUSIVE), done.stderr
    assert "gate: " in summary.read_text()
    assert {path.suffix for path in tmp_path.glob("gate.*")} == {".md", ".html", ".xml"}


NIGHTLY_PAGE = (Path(__file__).parents[1] / "docs" / "guides" / "nightly-job.md").read_text(encoding="utf-8")
(CONFIGURATION,) = re.findall(r"```toml\n(.*?)```", NIGHTLY_PAGE, re.DOTALL)


def test_the_file_of_the_guide_is_read_and_fits_the_schema(tmp_path: Path) -> None:
    file = tmp_path / "autoperf.toml"
    file.write_text(CONFIGURATION)
    found = read_configuration(file, dt.date(2026, 11, 27))
    assert (len(found.expectations.thresholds), len(found.expectations.accepted)) == (2, 1)
    validate(msgspec.to_builtins(msgspec.toml.decode(CONFIGURATION)), schemas()["autoperf"])


@pytest.mark.parametrize(
    "line", ["[measure]\nsed = 1", "[gate]", "[[accept]]\nratio = 1.2", '[compare]\nclock = "sun"', "[[threshold]]"]
)
def test_the_schema_refuses_what_the_program_refuses(line: str) -> None:
    with pytest.raises(ValidationError):
        validate(msgspec.toml.decode(line), schemas()["autoperf"])


STORED = ROOT / "tests" / "data" / "stored"
LOGS = sorted((ROOT / "docs" / "hunts").glob("*.ndjson.gz"))


@pytest.mark.parametrize("run", sorted(STORED.glob("*.ndjson")), ids=lambda run: run.stem)
def test_run_files_fit_their_schema(program: Program, run: Path) -> None:
    validator = Draft202012Validator(schemas()["run-file"])
    current = program("report", str(run), "--format", "baseline").stdout
    lines = [json.loads(line) for line in current.splitlines()]
    for line in lines[:20]:
        validator.validate(line)
    assert {line["type"] for line in lines} == {"run", "machine", "outcome", "end"}
    assert not validator.is_valid({**lines[-1], "asked": "many"})


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_logs_of_hunts_fit_their_schema(log: Path) -> None:
    validator = Draft202012Validator(schemas()["hunt-log"])
    lines = gzip.decompress(log.read_bytes()).splitlines()
    for line in (*lines[:20], lines[-1]):
        validator.validate(json.loads(line))
    assert len(lines) > 2
    assert not validator.is_valid({**json.loads(lines[0]), "seed": "none"})


def test_a_comparison_fits_its_schema(program: Program) -> None:
    words = ("compare", str(STORED / "base-2.ndjson"), str(STORED / "new-2.ndjson"), "--format", "json")
    read = json.loads(program(*words).stdout)
    validator = Draft202012Validator(schemas()["comparison"])
    validator.validate(read)
    read["cases"][0]["verdict"] = "quicker"
    assert not validator.is_valid(read)


OWN_INPUTS_PAGE = (Path(__file__).parents[1] / "docs" / "guides" / "own-inputs.md").read_text(encoding="utf-8")
MISTAKES = re.findall(
    r"^\$ autoperf (.+)\n(.+(?:\n .+)*)$", OWN_INPUTS_PAGE.partition("<!-- mistakes -->")[2], re.MULTILINE
)
FILES = dict(re.findall(r"```(yaml|toml|python)\n(.*?)```", OWN_INPUTS_PAGE, re.DOTALL))


@pytest.mark.parametrize(("line", "words"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_is_told_in_these_words(
    program: Program,
    line: str,
    words: str,
) -> None:
    done = program(*shlex.split(line))
    assert done.returncode == 2
    assert done.stderr.strip().endswith(words.strip())


def test_the_page_shows_mistakes() -> None:
    assert len(MISTAKES) > 5


@pytest.mark.parametrize("kind", ["yaml", "toml"])
def test_the_files_can_be_read(tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"layers.{kind}"
    file.write_text(FILES[kind])
    assert next(case.profile for case in read_handwritten(file)) == "logits"


def test_the_python_file_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(FILES["python"])
    assert [loaded.function for loaded in load(file).cases] == ["vocabulary", "first_rows"]


def test_the_parts_of_a_tensor_can_be_written() -> None:
    cells = [row.split("|")[1] for row in OWN_INPUTS_PAGE.splitlines() if row.startswith("| `")]
    parts = [part for cell in cells for part in re.findall(r"`([^`]+)`", cell)]
    assert len(parts) > 12
    for part in parts:
        parse_tensor(f"4x4:{part}")
