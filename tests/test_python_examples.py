"""The guides python.md and from-opperf.md: their examples run, and show what the program prints."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from autoperf.api.opperf import GROUP_BENCHMARKS
from autoperf.rules.catalog import members
from autoperf.rules.composites.composite import composite_modules
from autoperf.rules.rule import Rule
from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "docs" / "guides" / name for name in ("python.md", "from-opperf.md")]
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
CODES = [code for text in TEXTS.values() for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script("tools", "python_examples.py")


@pytest.mark.parametrize("code", CODES)
def test_an_example_imports_names_that_exist(code: str) -> None:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autoperf"):
            assert {alias.name for alias in node.names} <= set(dir(import_module(node.module or "")))


@pytest.mark.parametrize("page", TEXTS)
def test_every_example_has_an_output(script: ModuleType, page: str) -> None:
    text = TEXTS[page]
    assert "tools/python_examples.py" in text
    assert len(script.DocumentPage(text).codes) == text.count("```python")
    assert "```text\n```" not in text


def test_the_form_of_an_output_has_no_figures(script: ModuleType) -> None:
    assert script.form("softmax  1.5 us  ±2%\n") == script.form("softmax 22.1 us ±13%\n")
    assert script.form("faster 2") != script.form("slower 2")


def test_outputs_are_put_below_their_examples(script: ModuleType, tmp_path: Path) -> None:
    text = '# Page\n\n```python\nprint("one", 1)\n```\n\n```text\none 2\n```\n\n```text\n$ autoperf --version\n```\n'
    page = script.DocumentPage(text)
    assert "```text\none 1\n```" in page.filled(tmp_path)
    kept = page.filled(tmp_path, forms=True)
    assert "```text\none 2\n```" in kept
    assert re.search(r"\$ autoperf --version\nautoperf.*\d", kept)


def test_every_use_case_of_opperf_is_there() -> None:
    titles = re.findall(r"^## (.+)$", TEXTS["from-opperf.md"], re.MULTILINE)
    assert len(titles) >= 9
    assert len(GROUP_BENCHMARKS) > 20


def test_the_composites_of_dlop_bench_are_there() -> None:
    section = TEXTS["from-opperf.md"].partition("## From DLOP-Bench")[2]
    named = re.findall(r"^\| `[^|]+ \| `(\w+)` \|$", section, re.MULTILINE)
    same = re.findall(r"`(\w+_loss)`", section.partition("Composites of the same name")[2].partition("\n\n")[0])
    known = {rule.names[0] for module in composite_modules() for rule in members(module) if isinstance(rule, Rule)}
    assert len(named) > 15
    assert {*named, *same} <= known


@pytest.mark.parametrize("code", [code for code in CODES if "mxnet" in code])
def test_the_pages_import_mxnet_as_autoperf_does(code: str) -> None:
    imported = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not [node for node in imported if "mxnet" in ast.unparse(node).split()[1]]


def test_mxnet_is_imported_within_pytest_where_warnings_are_errors(tmp_path: Path) -> None:
    """As in a notebook: in the environment as it is, with nothing put back into NumPy before."""
    file = tmp_path / "test_softmax.py"
    file.write_text(
        "import autoperf\nfrom autoperf import mxnet as mx\n\n\ndef test_softmax():\n    import mxnet\n"
        "    assert mxnet is mx\n    options = {'warmup': 0, 'runs': 2, 'processes': 1, 'progress': False}\n"
        "    results = autoperf.measure(mx.nd.softmax, {'data': mx.nd.ones((2, 3))}, **options)\n"
        "    assert results[0].inputs[0].tensor.shape == (2, 3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider", file], cwd=tmp_path,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("page", TEXTS)
def test_the_examples_print_what_the_page_shows(script: ModuleType, page: str, tmp_path: Path) -> None:
    assert script.DocumentPage(TEXTS[page]).filled(tmp_path, forms=True).count("```") == TEXTS[page].count("```")
