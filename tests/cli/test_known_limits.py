"""A known limit of a build, which a rule states and the trial finds, is a skip with its reason, not a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from autoperf.core.errors import Exit
from autoperf.core.outcome import Status
from tests.forked_program import Program
from tools.stored_run import read_run

QUICK = ("--warmup", "0", "--samples", "2", "--processes")
RULE = """
from autoperf.rules.rule import inputs, rule, tensor

@rule("_contrib_fft", category="unary", canonical={{"small": inputs(data=tensor(4, 4))}}, limits={limits})
def fft(draw, spec):
    return inputs(data=tensor(3, 3))
"""


@pytest.mark.parametrize("visits", [("1",), ("2", "--visits", "2")])
def test_a_failure_by_the_words_of_a_limit_is_skipped(
    program: Program, tmp_path: Path, visits: tuple[str, ...]
) -> None:
    rules, file = tmp_path / "rules.py", tmp_path / "run.ndjson"
    chosen = ("--operator", "_contrib_fft", "--operator", "exp", "--input-profile", "small", "--rules", str(rules))
    rules.write_text(RULE.format(limits={"other words": "another limit"}))
    assert program("run", *chosen, *QUICK, *visits, "--run-file", str(file)).returncode == Exit.FINDING
    assert [one.status for one in read_run(file).outcomes] == [Status.FAILED, Status.MEASURED]
    file.unlink()
    rules.write_text(RULE.format(limits={"only available for GPU": "there is no GPU"}))
    done = program("run", *chosen, *QUICK, *visits, "--run-file", str(file))
    assert done.returncode == Exit.FINE, done.stderr
    assert "2 cases = 1 measured + 1 skipped + 0 failed" in done.stdout
    skipped = read_run(file).outcomes[0]
    assert skipped.status is Status.SKIPPED
    assert skipped.reason == "a known limit on this processor: there is no GPU: fft is only available for GPU"


def test_a_quantized_recurrent_layer_is_no_finding_on_any_processor(program: Program) -> None:
    chosen = ("--operator", "_contrib_quantized_rnn", "--operator", "exp", "--input-profile", "small")
    for env in ({}, {"DNNL_MAX_CPU_ISA": "AVX512_CORE"}):
        done = program("run", *chosen, *QUICK, "1", env=env)
        assert done.returncode == Exit.FINE, done.stdout
        assert "+ 0 failed + 0 crashed + 0 timeout" in done.stdout
    assert "2 cases = 2 measured" in done.stdout
