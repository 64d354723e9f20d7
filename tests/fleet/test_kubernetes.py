"""The guide's manifests by the schemas of Kubernetes, and their commands in their image's root; no cluster runs."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from autoperf import __version__
from autoperf.core.outcome import Status
from tests.fleet.dask_processes import QUICK, finished, measured_on, outcomes
from tests.fleet.hosts import hosts, require_programs
from tests.fleet.image import DOCKERFILE, build

MANIFESTS = DOCKERFILE.with_name("fleet.yaml")
RELEASES = ("1.28", "1.37")
KINDS = ("Deployment", "Service", "NetworkPolicy", "Deployment", "PersistentVolumeClaim", "Job")


def manifests() -> list[Mapping[str, Any]]:
    return list(yaml.safe_load_all(MANIFESTS.read_text()))


def pods() -> dict[str, Mapping[str, Any]]:
    """The containers by the roles of their pods."""
    templates = [manifest["spec"]["template"] for manifest in manifests() if "template" in manifest["spec"]]
    return {each["metadata"]["labels"]["role"]: each["spec"]["containers"][0] for each in templates}


def problem(manifest: Mapping[str, Any], release: str) -> str:
    """What a manifest has that the schemas of a release don't; empty if it fits."""
    schemas = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate isn't installed")
    try:
        schemas.validate(manifest, release, strict=True)
    except schemas.ValidationError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("release", RELEASES)
def test_the_manifests_fit_the_schemas(release: str) -> None:
    found = [(manifest["kind"], problem(manifest, release)) for manifest in manifests()]
    assert found == [(kind, "") for kind in KINDS]


def test_a_wrong_manifest_does_not_fit_them() -> None:
    (service,) = (manifest for manifest in manifests() if manifest["kind"] == "Service")
    assert "prts" in problem({**service, "spec": {"prts": []}}, RELEASES[-1])


def test_names_and_labels_fit_each_other() -> None:
    by_kind = {manifest["kind"]: manifest for manifest in manifests()}
    service, policy = by_kind["Service"], by_kind["NetworkPolicy"]["spec"]
    assert set(pods()) == {"head", "worker", "client"}
    assert service["spec"]["selector"] == {"app": "autoperf", "role": "head"}
    assert (
        policy["podSelector"] == policy["ingress"][0]["from"][0]["podSelector"] == {"matchLabels": {"app": "autoperf"}}
    )
    address = f"tcp://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}"
    assert all(address in pods()[role]["command"] for role in ("worker", "client"))
    assert {pod["image"] for pod in pods().values()} == {f"registry.example/autoperf:{__version__}"}
    # A pod has whole processors for itself only if its limits are its requests.
    worker = pods()["worker"]["resources"]
    assert worker["limits"] == worker["requests"]


@pytest.mark.nightly
def test_the_commands_of_the_manifests_run_in_the_root_of_the_image(tmp_path: Path) -> None:
    require_programs("debootstrap", "apt-get", package="debootstrap")
    with hosts(tmp_path, "head", "worker", "client") as made:
        image = build(tmp_path / "root", tmp_path / "wheels")
        runs = image.root / "runs"
        runs.mkdir(mode=0o777)
        runs.chmod(0o777)
        names = tmp_path / "hosts"

        def command(role: str) -> list[str]:
            return made.on(role, *image.command(*pods()[role]["command"], hosts=names))

        made.start(command("head"))
        made.start(command("worker"))
        client = [*command("client"), "--input-profile", "small", "--draws", "0", *QUICK]
        finished(subprocess.Popen(client, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        assert measured_on(runs / "run.ndjson") == {"worker"}
        assert {outcome.status for outcome in outcomes(runs / "run.ndjson")} == {Status.MEASURED}
