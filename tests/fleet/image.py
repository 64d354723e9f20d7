"""The worker's image without a container engine: the steps of its Dockerfile, in a root that debootstrap makes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).parents[2]
DOCKERFILE = SOURCE / "docs" / "kubernetes" / "Dockerfile"
BASE = "debian:bookworm-slim"
STEP_SECONDS = 900
IN_ROOT = """
root=$1 user=$2 hosts=$3; shift 3
mount --bind "$hosts" "$root/etc/hosts"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot --userspec="$user" "$root" "$@"
"""


@dataclass
class Image:
    """A root, and what the Dockerfile sets for its processes."""

    root: Path
    variables: dict[str, str] = field(default_factory=lambda: {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    user: str = "root"

    def command(self, *words: str, hosts: Path = Path("/etc/hosts"), **variables: str) -> list[str]:
        """The command, run in the root by its user; `hosts` is its file of names. It needs its own mounts."""
        given = {**self.variables, **variables}
        own = ("env", "-i", *(f"{name}={value}" for name, value in given.items()), *words)
        return ["sh", "-ec", IN_ROOT, "sh", str(self.root), self.user, str(hosts), *own]


def steps(dockerfile: Path = DOCKERFILE) -> list[tuple[str, str]]:
    """The instructions, each with its words."""
    lines = [line for line in dockerfile.read_text().splitlines() if not line.startswith("#")]
    return [
        (name, words)
        for name, _, words in (line.partition(" ") for line in "\n".join(lines).replace("\\\n", "").splitlines())
    ]


def build(root: Path, wheels: Path) -> Image:
    """Builds the image; its pip installs from `wheels`, which this machine's pip downloads.

    Raises CalledProcessError for a step that fails.
    """
    _run(
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--dest",
        str(wheels),
        f"{SOURCE}[mxnet,cluster]",
        "hatchling",
    )
    image = Image(root)
    for name, words in steps():
        _step(image, name, words, wheels)
    return image


def _step(image: Image, name: str, words: str, wheels: Path) -> None:
    match name, shlex.split(words):
        case "FROM", [base]:
            assert base == BASE, base
            _run("debootstrap", "--variant=minbase", "bookworm", str(image.root), _mirror())
            for handed in ("hosts", "resolv.conf", "apt/apt.conf.d"):
                _copy(Path("/etc") / handed, image.root / "etc" / handed)
            _copy(wheels, image.root / "wheels")
        case "RUN", _:
            offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels", "DEBIAN_FRONTEND": "noninteractive"}
            _run("unshare", "--mount", *image.command("sh", "-ec", words, **offline))
        case "COPY", [*sources, target]:
            for source in sources:
                to = image.root / target.lstrip("/")
                _copy(SOURCE / source, to / source if target.endswith("/") else to)
        case "ENV", [setting]:
            variable, _, value = setting.partition("=")
            image.variables[variable] = value
        case "USER", [user]:
            image.user = user
        case "WORKDIR", [folder]:
            image.variables["HOME"] = folder
        case _:
            raise AssertionError(f"this builder doesn't know {name} {words}")


def _run(*command: str) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=STEP_SECONDS)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}"


def _mirror() -> str:
    """The mirror of Debian that this machine uses."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[0]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(os.path.realpath(source), target)
