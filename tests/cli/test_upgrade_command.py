"""`autoperf upgrade`: a network under other names, one that computes something else, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.forked_program import Program
from tests.networks.network_values import symbol_file

BLOCKS = """
def renamed():
    import mxnet as mx
    mx.npx.set_np()
    class Block(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, data):
            return F.np.exp(F.np.max(data, axis=-1))
    return Block()

def differing():
    import mxnet as mx
    mx.npx.set_np()
    class Block(mx.gluon.HybridBlock):
        def hybrid_forward(self, F, condition, x, y):
            return F.np.exp(F.np.where(condition, x, y))
    return Block()
"""
FAST = ("--time-budget", "2s", "--processes", "1", "--backward", "off", "--quiet")


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(BLOCKS, encoding="utf-8")
    return path


def upgraded(program: Program, folder: Path, *arguments: str) -> tuple[int, dict]:
    result = program("upgrade", *arguments, *FAST, "--run-file", str(folder / "run.ndjson"), "--format", "json")
    return result.returncode, json.loads(result.stdout)


def test_a_network_moves_under_other_names(program: Program, blocks: Path, next_library: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, shown = upgraded(
        program, tmp_path, f"{blocks}:renamed", "--input", "data=4x8", "--to", "2.0.0b1", "--report", str(page)
    )
    assert code == 0
    assert {call["operator"]: (call["fate"], call["other"]) for call in shown["calls"]} == {
        "_np_max": ("moves, renamed", "_npi_max"),
        "_npi_exp": ("moves", ""),
    }
    assert {whole["fate"] for whole in shown["wholes"]} == {"moves"}
    assert "net.renamed moves from MXNet 1.9.1 to MXNet 2.0.0b1" in page.read_text(encoding="utf-8")


@pytest.mark.nightly
def test_a_network_that_computes_something_else_exits_with_1(
    program: Program, blocks: Path, next_library: Path, tmp_path: Path
) -> None:
    shapes = [word for name in ("condition=3x1", "x=1x4", "y=3x1") for word in ("--input", name)]
    code, shown = upgraded(program, tmp_path, f"{blocks}:differing", *shapes, "--to", "2.0.0b1")
    assert code == 1
    fates = {call["operator"]: call["fate"] for call in shown["calls"]}
    assert fates == {"_npi_where": "other results", "_npi_exp": "moves"}
    assert "where" in shown["departs"]["net.differing"]


@pytest.mark.nightly
def test_another_framework_gives_its_reason_and_the_repositorys_file_how_it_measures(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's `input` is of operators, not of the network."""
    text = '[measure]\nprocesses = 1\nbackward = false\ntime-budget = "1s"\noperator = "exp"\ninput = "other=9x9"\n'
    (tmp_path / "autoperf.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    nodes = [
        ("null", "data", [], {}),
        ("Activation", "bent", [(0, 0)], {"act_type": "relu"}),
        ("GridGenerator", "grid", [(1, 0)], {"transform_type": "affine", "target_shape": "(2, 2)"}),
    ]
    path = symbol_file(tmp_path, nodes)
    result = program("upgrade", str(path), "--to", "numpy", "--input", "data=3x6", "--format", "json")
    assert result.returncode == 1
    assert "autoperf.toml: processes 1, backward off, time-budget 1s" in result.stderr
    assert "training" not in result.stdout
    shown = json.loads(result.stdout)
    assert [(call["operator"], call["fate"]) for call in shown["calls"]] == [
        ("Activation", "moves"),
        ("GridGenerator", "not there"),
    ]
    assert "NumPy has no equivalent" in shown["calls"][1]["reason"]
    assert "a line of your own" in shown["calls"][1]["to_do"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nosuch", "--to", "numpy"), "unknown model of Gluon's zoo 'nosuch'"),
        (("alexnet", "--to", "tensorflow"), "unknown target 'tensorflow': expected a release of MXNet"),
        (("alexnet", "--to", "1.6.0"), "MXNet 1.6.0 is not installed"),
        (("alexnet", "--to", "torch@0.1"), "PyTorch 0.1 is not installed"),
        (("none.ndjson", "--to", "numpy"), "can't read none.ndjson"),
        (("model.json", "--to", "numpy"), "invalid symbol file"),
        (("alexnet", "--to", "numpy", "--report", "a.png"), "invalid --report"),
        (("alexnet", "--to", "numpy", "--run-file", "."), "invalid --run-file .: expected a file, not a folder"),
        (("alexnet", "--to", "numpy", "--rules", "none.py"), "none.py"),
        (("alexnet", "--to", "model.json"), "model.json"),
    ],
)
def test_mistakes_are_a_sentence(
    program: Program, tmp_path: Path, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").write_text('{"ir_version": 7, "graph": {}}', encoding="utf-8")
    result = program("upgrade", *arguments)
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    assert message in result.stderr
    assert result.stderr.count("\n") <= 8
