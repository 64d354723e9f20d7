"""Hosts for tests: namespaces with names, addresses, files of names and clocks of their own, which ssh reaches."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

NETWORK = "10.86.0"
START_SECONDS = 30.0
CLOCK = Path(__file__).with_name("clock.c")
UPTIME = 1000
"""Seconds since the start of a host whose clock is off."""
ENTER = 'hostname "$1" && mount --bind "$2" /etc/hosts && mkdir -p /run/sshd && shift 2 && exec "$@"'
KEPT = ("AUTOPERF_RELEASES", "AUTOPERF_FRAMEWORKS", "HYPOTHESIS_NO_PLUGINS")
SSHD = """
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
PidFile none
SetEnv {variables}
"""
SSH = """
Host *
    IdentityFile {folder}/user_key
    IdentitiesOnly yes
    UserKnownHostsFile {folder}/known_hosts
    StrictHostKeyChecking yes
"""


def require_programs(*names: str, package: str) -> None:
    """Skips the test without these programs of a Debian package."""
    for name in names:
        if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            pytest.skip(f"{name} isn't installed (Debian: {package})")


class Hosts:
    """The hosts, joined by a bridge in a namespace of its own: this machine's network isn't touched.

    Their processes share the file system. Each host has a cache of autoperf's in `folder`, which also has the log.
    """

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.folder = folder
        self.addresses = {name: f"{NETWORK}.{number}" for number, name in enumerate(names, 1)}
        self.ssh_config = folder / "ssh_config"
        self._before = f"autoperf-{os.getpid()}-"
        self._started: list[subprocess.Popen[bytes]] = []
        self._log = (folder / "hosts.log").open("ab")

    def open(self) -> None:
        """Makes the network. Skips the test where that isn't allowed."""
        require_programs("ip", package="iproute2")
        added = subprocess.run(["ip", "netns", "add", f"{self._before}net"], check=False, capture_output=True)
        if added.returncode:
            pytest.skip(f"network namespaces can't be made: {added.stderr.decode().strip()}")
        self._ip("-n @net link add bridge type bridge")
        self._ip("-n @net link set bridge up")
        (self.folder / "hosts").write_text(
            "127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in self.addresses.items())
        )
        for name, address in self.addresses.items():
            self._ip(f"netns add @{name}")
            self._ip(f"-n @net link add {name} type veth peer name eth0 netns @{name}")
            self._ip(f"-n @net link set {name} master bridge up")
            self._ip(f"-n @{name} addr add {address}/24 dev eth0")
            self._ip(f"-n @{name} link set eth0 up")
            self._ip(f"-n @{name} link set lo up")

    def _ip(self, words: str) -> str:
        command = ["ip", *words.replace("@", self._before).split()]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def on(self, name: str, *command: str, uptime: int | None = None) -> list[str]:
        """The command, run on a host directly; `uptime` has the monotonic clock start by so many seconds later."""
        inside = ["unshare", "--uts", "--mount", "sh", "-c", ENTER, "sh", name, str(self.folder / "hosts"), *command]
        if uptime is not None:
            inside = ["unshare", "--time", "--monotonic", str(uptime), "--boottime", str(uptime), "--fork", *inside]
        # Not by `ip netns exec`, which hides the control groups that Slurm looks for.
        return ["nsenter", f"--net=/run/netns/{self._before}{name}", *inside]

    def by_ssh(self, source: str, target: str, *command: str) -> list[str]:
        """The command, run on a host by ssh from another one."""
        return self.on(source, "ssh", "-F", str(self.ssh_config), target, *command)

    def start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Starts a command of `on` or `by_ssh`, which ends with the test."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            cwd=self.folder,
            start_new_session=True,
        )
        self._started.append(process)
        return process

    def start_sshd(self, clocks: Mapping[str, int] | None = None) -> None:
        """Starts an sshd on each host, with keys made for the test; `clocks` are offsets in seconds, by host.

        A host with an offset was also started at another time: its monotonic clock differs as well.
        """
        require_programs("sshd", package="openssh-server")
        require_programs("ssh", "ssh-keygen", package="openssh-client")
        for key in ("host_key", "user_key"):
            words = ["-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / key)]
            subprocess.run(["ssh-keygen", *words], check=True, stdin=subprocess.DEVNULL)
        host_key = (self.folder / "host_key.pub").read_text()
        (self.folder / "known_hosts").write_text(f"{','.join(self.addresses)} {host_key}")
        self.ssh_config.write_text(SSH.format(folder=self.folder))
        for name in self.addresses:
            self._start_sshd(name, (clocks or {}).get(name))
        for name in self.addresses:
            self._wait_for_sshd(name)

    def _start_sshd(self, name: str, offset: int | None) -> None:
        variables = {kept: os.environ[kept] for kept in KEPT if kept in os.environ}
        variables["AUTOPERF_CACHE"] = str(self.folder / f"cache-{name}")
        if offset is not None:
            variables["LD_PRELOAD"] = str(self._clock(offset))
        config = self.folder / f"sshd-{name}"
        listed = " ".join(f"{variable}={value}" for variable, value in variables.items())
        config.write_text(SSHD.format(folder=self.folder, variables=listed))
        self.start(
            self.on(name, "/usr/sbin/sshd", "-D", "-e", "-f", str(config), uptime=None if offset is None else UPTIME)
        )

    def _clock(self, offset: int) -> Path:
        """A library whose clock is off by so many seconds."""
        require_programs("cc", package="gcc")
        made = self.folder / f"clock{offset}.so"
        command = ["cc", "-O2", "-shared", "-fPIC", f"-DOFFSET={offset}", str(CLOCK), "-o", str(made)]
        subprocess.run(command, check=True, capture_output=True)
        return made

    def _wait_for_sshd(self, name: str) -> None:
        command = self.by_ssh(name, name, "true")
        deadline = time.monotonic() + START_SECONDS
        while (done := subprocess.run(command, check=False, capture_output=True, text=True)).returncode:
            assert time.monotonic() < deadline, f"{done.stderr}\n{self.log()}"
            time.sleep(0.2)

    def processes(self, name: str) -> list[int]:
        """The processes of a host."""
        return [int(process) for process in self._ip(f"netns pids @{name}").split()]

    def commands(self, name: str) -> list[bytes]:
        """The command lines of a host's processes."""
        found = []
        for process in self.processes(name):
            with contextlib.suppress(OSError):
                found.append(Path(f"/proc/{process}/cmdline").read_bytes())
        return found

    def power_off(self, name: str) -> None:
        """Ends a host without a word to any other: its connections stay half open."""
        self._ip(f"-n @net link set {name} down")
        self._kill(name)

    def _kill(self, name: str) -> None:
        while processes := self.processes(name):
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.02)

    def log(self) -> str:
        """Everything that the hosts' processes told."""
        self._log.flush()
        return (self.folder / "hosts.log").read_text(errors="replace")

    def close(self) -> None:
        """Ends all processes of the hosts, and removes the network."""
        listed = subprocess.run(["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout.split()
        own = [name for name in (*self.addresses, "net") if f"{self._before}{name}" in listed]
        for name in own:
            self._kill(name)
        for process in self._started:
            process.wait()
        for name in own:
            self._ip(f"netns del @{name}")
        self._log.close()


@contextmanager
def hosts(folder: Path, *names: str) -> Iterator[Hosts]:
    """Hosts with these names."""
    with ExitStack() as stack:
        made = Hosts(folder, names)
        stack.callback(made.close)
        made.open()
        yield made
