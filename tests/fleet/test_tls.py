"""TLS by Dask's own settings: who has the certificate measures, and nobody else gets in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fleet.dask_processes import QUICK, Cluster, finished, outcomes, started

ONE = ("--operator", "exp", "--input-profile", "small", "--limit", "1")

CONFIGURATION = """
scheduler-address: {address}
distributed:
  comm:
    require-encryption: true
    tls:
      ca-file: {certificate}
      client: {{cert: {certificate}, key: {key}}}
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of its own authority, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl isn't installed")
    made, key = tmp_path / "node.pem", tmp_path / "node.key"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=fleet"]
    subprocess.run(
        ["openssl", *words, "-keyout", str(key), "-out", str(made)], check=True, capture_output=True, timeout=60
    )
    return made, key


@pytest.mark.nightly
def test_a_run_over_tls(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    made, key = map(str, certificate)
    words = ("--tls-ca-file", made, "--tls-cert", made, "--tls-key", key)
    file = tmp_path / "run.ndjson"
    with Cluster(tmp_path, *words, scheme="tls") as fleet:
        fleet.worker()
        settings = tmp_path / "dask.yaml"
        settings.write_text(CONFIGURATION.format(address=fleet.address, certificate=made, key=key))
        finished(started("run", "--cluster", str(settings), *ONE, *QUICK, "--run-file", str(file)))
        outside = finished(started("run", "--cluster", fleet.address, *ONE, *QUICK), 2)
    assert len(outcomes(file)) == 1
    assert "Traceback" not in outside
    assert "needs certificates for TLS" in " ".join(outside.split())
