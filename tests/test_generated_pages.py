"""Generated pages name their command, and have what their generators write; only their blocks change."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from autoperf.cases.release import Release
from autoperf.cli.main import run as command_line
from autoperf.core.case import Case
from autoperf.core.errors import Exit
from autoperf.core.graph import Graph, Node
from autoperf.core.outcome import Memory, Outcome, Pass, PassMemory, Status
from autoperf.core.tensors import ArrayType, Constant
from autoperf.networks.report import ModeTimes
from autoperf.networks.times import network_times
from autoperf.reports.layout import heading
from autoperf.rules.gluon_layers.layer import gluon_layers_by_name
from tests.scripts import load_script
from tests.values import inputs, outcome, tensor, timed
from tools.page_blocks import block_of, fill, with_block
from tools.stored_run import read_run

ROOT = Path(__file__).parents[1]
PAGES = {
    "method/hunt.md": "benches/hunt_planted.py",
    "reference/coverage.md": "tools/coverage_page.py",
    "reference/names.md": "benches/front_end_names.py",
    "method/memory.md": "tests/measurement/memory_arithmetic.py",
}
TEXT = "# Page\n\n<!-- a -->\nold\n<!-- /a -->\ntext\n<!-- b c -->\n\n<!-- /b c -->\n"


def cells(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line)) - 1


@pytest.mark.parametrize("page", PAGES)
def test_the_page_names_the_command_that_makes_it(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert PAGES[page] in text
    assert (ROOT / PAGES[page]).is_file()


@pytest.mark.parametrize("page", PAGES)
def test_each_row_has_as_many_cells_as_its_head(page: str) -> None:
    width = 0
    for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        width = width or cells(line)
        assert cells(line) == width, line


def test_a_block_gets_its_content_as_it_is() -> None:
    assert block_of(with_block(TEXT, "a", "\n| \\1 | \\g<1> |\n\n"), "a") == r"| \1 | \g<1> |"


def test_other_text_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(TEXT, encoding="utf-8")
    fill(page, {"a": "new", "b c": "2 us \N{PLUS-MINUS SIGN} 5%"})
    expected = TEXT.replace("old", "new").replace("<!-- b c -->\n", "<!-- b c -->\n2 us \N{PLUS-MINUS SIGN} 5%")
    assert page.read_text(encoding="utf-8") == expected


def test_a_page_without_the_block_is_refused() -> None:
    with pytest.raises(SystemExit, match="invalid page: expected a block 'd'"):
        with_block(TEXT, "d", "")


LARGE = 2**32 + 8
INPUTS = inputs(
    data=tensor(LARGE, dtype="int8", content=Constant(0.0)), axis=tensor(4, dtype="int32", content=Constant(0.0))
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("tools", "large_tensors.py")


def answer(status: Status, **changes: object) -> Outcome:
    outputs = (ArrayType((LARGE,), "int8"),)
    return outcome(operator="abs", profile="int64", status=status, inputs=INPUTS, outputs=outputs, **changes)


def test_every_category_is_in_the_table(script: ModuleType, next_release: Release) -> None:
    rules = (next_release.catalog.find(operator) for operator in next_release.registry.forward)
    categories = {rule.category for rule in rules if hasattr(rule, "category")}
    table = block_of(script.PAGE.read_text(encoding="utf-8"), "categories")
    rows = [line.split("|") for line in table.strip().splitlines()[2:]]
    assert {row[1].strip().replace("\\", "") for row in rows} == categories


def test_the_case_that_needs_least_comes_first(script: ModuleType, next_release: Release) -> None:
    (members,) = script.candidates(next_release, ["pooling"]).values()
    fitting = [each for each in members if each.bytes <= script.MEMORY * script.GIB]
    public = [each.bytes for each in fitting if not each.case.operator.startswith("_")]
    assert public == sorted(public)
    assert [each.bytes for each in members][: len(public)] == public


def test_a_row_has_the_result_and_the_memory(script: ModuleType) -> None:
    memory = Memory(PassMemory(2**33, 2**32, 2**32))
    ran = script.row_of(answer(Status.MEASURED, memory=memory))
    assert ran == ["unary", "abs", "8.0 GiB", "runs, 12.0 GiB at its peak"]
    assert script.row_of(answer(Status.FAILED, reason="no int8: Check failed"))[-1] == "failed: no int8"


def test_a_category_has_the_case_that_ran_else_the_last_one_that_failed(script: ModuleType) -> None:
    case = Case(operator="abs", category="unary", profile="int64", inputs=INPUTS)
    planned = script.Candidate("unary", case, "int8", 25 * 2**30)
    assert script.planned_row(planned)[-2:] == ["25.0 GiB", "needs more than 24 GiB"]
    failed, ran = answer(Status.FAILED, reason="no int8"), answer(Status.MEASURED)
    assert script.row([ran, failed])[-1] == "runs"
    assert script.row([failed, failed])[-1] == "failed: no int8"


LAYERS_PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "layers.md").read_text(encoding="utf-8")
STORED = Path(__file__).parent / "data" / "stored" / "layers-3.ndjson"
LAYERS = load_script("tools", "layers.py")


def test_the_page_has_the_layers_that_gain_most() -> None:
    _, table = block_of(LAYERS_PAGE, "times").split(heading(LAYERS.HEAD))
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
    assert {row[0] for row in rows} <= gluon_layers_by_name().keys()
    gains = [float(row[4]) for row in rows]
    assert gains == sorted(gains, reverse=True)
    assert len(gains) == LAYERS.MAX_LAYERS


def test_a_row_has_each_way_and_the_speed_up_of_the_graph() -> None:
    row = "1.42 ms | 1.47 ms | 1.41 ms | 1.01 | 1.59 ms | 1.74 ms | 1.71 ms | 0.93"
    assert f"| gluon_Dense | {row} |" in LAYERS.block(read_run(STORED))


def test_an_example_ends_where_the_notes_begin() -> None:
    lines = LAYERS.example(STORED, "gluon.nn.Dense").splitlines()
    assert lines[1] == "$ autoperf report layers-run.ndjson --operator gluon.nn.Dense"
    assert lines[-3].startswith("  backward no kernel")
    assert lines[-2:] == ["...", "```"]


TABLES_PAGE = ROOT / "docs" / "reference" / "tables.md"
EXAMPLES = load_script("tools", "examples.py").examples(TABLES_PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", EXAMPLES)
def test_an_example_is_what_the_program_prints(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / "tests" / "data" / "stored")
    monkeypatch.setenv("COLUMNS", "100")
    assert command_line(shlex.split(command)[1:]) == Exit.FINE
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert EXAMPLES[command] == printed


COMPOSITES_PAGE = Path(__file__).parents[1] / "docs" / "reference" / "composites.md"


@pytest.fixture(scope="module")
def composites() -> ModuleType:
    return load_script("tools", "composites.py")


def test_the_page_has_a_composite_of_each_family(composites: ModuleType) -> None:
    block = block_of(COMPOSITES_PAGE.read_text(), "composites")
    rows = [line.strip("| ").split(" | ") for line in block.splitlines() if line.startswith("| ")][1:]
    families = composites.families()
    assert [(row[0], int(row[1])) for row in rows] == [(family, len(names)) for family, names in families.items()]
    assert all(row[2] in families[row[0]] for row in rows)
    assert re.search(r"The dispatch of an operator takes .* saves .* of the forward time and .* backward", block)


def test_a_row_has_the_composite_of_which_the_graph_saves_most(composites: ModuleType) -> None:
    table = "".join(composites.page_block([_modes("giou_loss", 40, 25.0), _modes("ciou_loss", 79, 30.0)]))
    assert "| Losses | 31 | giou_loss | 40 | 100 us | 25.0 us | 2.00 us | 75% | 75% |\n" in table
    assert "ciou_loss" not in table
    assert (
        "in the median of 2 composites; the static graph saves 72% of the forward time and 72% of the backward" in table
    )


def test_without_a_measurement_there_are_no_figures(composites: ModuleType) -> None:
    assert "".join(composites.page_block([])).endswith("\nNothing was measured.\n\n")


def test_other_frameworks_stand_beside_the_modes_of_mxnet(composites: ModuleType) -> None:
    def compiled(pass_: Pass) -> Pass:
        return msgspec.structs.replace(pass_, compile_us=1e6, recompiles=1)

    times = _modes("giou_loss", 40, 25.0)
    imperative = times.modes["imperative"]
    other = msgspec.structs.replace(imperative, forward=compiled(timed(1.0, 20.0)), backward=compiled(timed(1.0, 50.0)))
    alone = msgspec.structs.replace(imperative, operator="ciou_loss")
    runs = [("MXNet", [*times.modes.values(), alone]), ("torch.compile", [other])]
    lines = "".join(composites.ways_block(runs)).splitlines()
    assert lines[0] == "| pass | family | composites | hybridized | static | torch.compile |"
    assert lines[2] == "| forward | Losses | 1 | 1.67 | 4.00 | 5.00 |"
    assert lines[-4] == "| backward | all | 1 | 1.67 | 4.00 | 2.00 |"
    words = "torch.compile compiles a composite in 2.00 s in the median and 2.00 s at most, and 1 of 1 again"
    assert lines[-2] == f"{words} in later calls."


def _modes(name: str, operators: int, static: float) -> ModeTimes:
    graph = Graph(("x",), tuple(Node(f"n{number}", "exp", ("x",)) for number in range(operators)), ("n0",))
    modes = {}
    for mode, wall in (("imperative", 100.0), ("hybridized", 60.0), ("static", static)):
        both = timed(160 / 9, wall)
        modes[mode] = outcome(
            0, both, both, operator=name, category="composite", profile=f"small:{mode}", graphs={"graph": graph}
        )
    return ModeTimes(modes)


NETWORKS = load_script("tools", "networks.py")
NETWORKS_PAGE = (Path(__file__).parents[1] / "docs" / "reference" / "networks.md").read_text(encoding="utf-8")
STORED_RUNS = Path(__file__).parent / "data" / "stored"


def rows(name: str, head: str) -> list[list[str]]:
    """The cells of the table in a block of the page, without its head."""
    _, table = block_of(NETWORKS_PAGE, name).split(head)
    return [re.split(r" \| ", line.strip("| ")) for line in table.splitlines()]


def test_the_page_has_both_passes_of_each_network() -> None:
    names = [re.sub(r"^examples/networks/(\w+)\.py:(\w+)$", r"\1.\2", network) for network, *_ in NETWORKS.NETWORKS]
    passes = [
        (f"{name}, batch {words[2]}{', training' * training}", pass_)
        for name, words in zip(names, NETWORKS.NETWORKS, strict=True)
        for training in ("--train" in words,)
        for pass_ in ("forward", "backward")[: 1 + training]
    ]
    assert [(row[0], row[1]) for row in rows("networks", heading(NETWORKS.HEAD))] == passes


def test_a_row_has_the_parts_the_whole_and_the_operators_with_most_of_the_time() -> None:
    block = NETWORKS.networks([read_run(STORED_RUNS / "network-3.ndjson")])
    row = "36.7 us | 182 us | 129 us | 103 us | - | FullyConnected 74%, Activation 26%"
    assert f"| small.mlp, batch 2, training | forward | {row} |" in block


def test_a_pattern_has_the_separate_and_the_fused_time_of_each_release(monkeypatch: pytest.MonkeyPatch) -> None:
    run = read_run(STORED_RUNS / "network-3.ndjson")
    names = {network.name for network in network_times(run.outcomes)}
    monkeypatch.setattr(NETWORKS, "patterns", lambda: dict.fromkeys(names, "MLP"))
    assert NETWORKS.fusions([run, run]).splitlines()[-1] == "| MLP | 182 us | - | - | - | 182 us | - | - | - |"


def test_a_run_without_a_pattern_is_refused() -> None:
    with pytest.raises(SystemExit, match="the run has no fusions"):
        NETWORKS.fusions([read_run(STORED_RUNS / "network-3.ndjson")])
