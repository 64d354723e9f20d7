"""The service in its own process: answers, crashes, caches, and leaves nothing behind."""

from __future__ import annotations

import inspect
import json
import os
import signal
from pathlib import Path

import psutil
import pytest

from autoperf.backends.mxnet import introspection
from autoperf.backends.mxnet.backend import BACKEND
from autoperf.backends.mxnet.capi.library import Library
from autoperf.backends.mxnet.introspection import Inference
from autoperf.core.errors import LibraryError
from autoperf.core.files import EXTENSIONS_VARIABLE
from autoperf.core.operator import Registry
from autoperf.core.tensors import ArrayType
from autoperf.processes.child_process import ChildProcess
from autoperf.processes.forks import ForkError
from autoperf.registry.calls import InferenceCall, Reply, Request
from autoperf.registry.client import BATCH, Cache, RegistryClient, library_key
from autoperf.registry.names import OTHER_NAMES

EXP = InferenceCall("exp", {"data": ArrayType((2, 3), "float32")})
CRASHING = InferenceCall("_sg_mkldnn_fully_connected")
REFUSED = InferenceCall("topk", {}, {"colour": "red"})


def child(client: RegistryClient) -> psutil.Process:
    assert client._service is not None
    return psutil.Process(client._service.pid)


def test_the_service_answers_as_inference_does(client: RegistryClient, library: Library) -> None:
    calls = [EXP, REFUSED, InferenceCall("BatchNorm", {"data": ArrayType((2, 3, 4, 4), "float32")})]
    inference = Inference(library)
    assert client.complete(calls) == [inference.complete(call) for call in calls]


def test_the_registry_is_the_crawled_one(client: RegistryClient, registry: Registry) -> None:
    assert client.registry() == registry


def test_operators_that_are_called_in_place_of_others_are_read_by_their_own_names(
    library: Library, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OTHER_NAMES, "exp=log,_np_max=no_such")
    with RegistryClient(BACKEND, library.path, cached=False) as client:
        assert client.registry() == registry


def test_no_calls_start_nothing(library: Library) -> None:
    with RegistryClient(BACKEND, library.path, cached=False) as client:
        assert client.complete([]) == []
        assert client._service is None


def test_an_extension_that_ends_the_process_is_named(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extension = tmp_path / "mine.py"
    extension.write_text("import os\n\nos._exit(0)\n")
    monkeypatch.setenv(EXTENSIONS_VARIABLE, str(extension))
    with RegistryClient(BACKEND, library.path, cached=False) as client, pytest.raises(LibraryError) as caught:
        client.registry()
    assert str(caught.value).endswith(f"(exit status 0); the likely cause is {extension}")


def test_a_crash_costs_only_its_own_call(client: RegistryClient) -> None:
    calls = [EXP] * 40 + [CRASHING] + [EXP] * 3 + [CRASHING, EXP]
    found = client.complete(calls)
    assert len(found) == len(calls)
    for call, completion in zip(calls, found, strict=True):
        if call is CRASHING:
            assert completion.error == "MXNet can't infer its shapes: the process ended without an answer (SIGSEGV)"
        else:
            assert completion.valid


def test_more_calls_than_a_batch_stay_in_order(client: RegistryClient) -> None:
    calls = [InferenceCall("exp", {"data": ArrayType((size + 1,), "float32")}) for size in range(2 * BATCH + 3)]
    assert [found.outputs[0].shape for found in client.complete(calls)] == [(i + 1,) for i in range(len(calls))]


def test_a_service_that_was_killed_is_started_again(library: Library) -> None:
    with RegistryClient(BACKEND, library.path, cached=False) as client:
        client.complete([EXP])
        first = child(client)
        first.kill()
        assert client.complete([EXP])[0].valid
        assert child(client).pid != first.pid


def test_what_a_lost_service_says_of_gradients_is_not_kept(
    library: Library, cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = [InferenceCall("softmax", {"data": ArrayType((2, 3), "float32")})]
    running = RegistryClient.start

    def stillborn(client: RegistryClient) -> ChildProcess[Request, Reply]:
        service = running(client)
        os.kill(service.pid, signal.SIGKILL)
        return service

    with RegistryClient(BACKEND, library.path) as client:
        with monkeypatch.context() as patch:
            patch.setattr(RegistryClient, "start", stillborn)
            (lost,) = client.gradients(calls)
        (kept,) = client.gradients(calls)
    assert "SIGKILL" in lost.error
    assert kept.differentiable


def test_a_gradient_that_took_too_long_is_determined_anew(
    library: Library, cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = InferenceCall("relu", {"data": ArrayType((2, 2), "float32")})
    late = ForkError("no answer within the limit of 10 s", is_external=True)
    with monkeypatch.context() as patched:
        patched.setattr(introspection, "forked", lambda _function, items, _limit: (late for _ in items))
        (lost,) = introspection.gradients(Inference(library), [call], 10.0)
    assert (lost.differentiable, lost.is_lost) == (None, True)
    with monkeypatch.context() as patched, RegistryClient(BACKEND, library.path) as client:
        patched.setattr(RegistryClient, "_request_gradients", lambda _self, calls: [lost for _ in calls])
        assert client.gradients([call]) == [lost]
    with RegistryClient(BACKEND, library.path) as client:
        assert client.gradients([call])[0].differentiable


def test_what_has_no_gradient_for_a_reason_of_its_own_is_asked_once(
    library: Library, cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RegistryClient(BACKEND, library.path) as client:
        (first,) = client.gradients([REFUSED])
    monkeypatch.delattr(RegistryClient, "_request_gradients")
    with RegistryClient(BACKEND, library.path) as client:
        assert client.gradients([REFUSED]) == [first]
    assert "colour" in first.error


def test_closing_leaves_no_process(library: Library) -> None:
    client = RegistryClient(BACKEND, library.path, cached=False)
    client.complete([EXP])
    pid = child(client).pid
    client.close()
    client.close()
    assert not psutil.pid_exists(pid)


def test_an_interruption_leaves_no_half_answer(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    with RegistryClient(BACKEND, library.path, cached=False) as client:
        client.complete([EXP])
        pid = child(client).pid
        assert client._service is not None
        monkeypatch.setattr(client._service.channel, "answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            client.complete([EXP, REFUSED])
        assert not psutil.pid_exists(pid)
        assert client.complete([EXP])[0].valid


def interrupted(_number: int, _deadline: float) -> None:
    raise KeyboardInterrupt


def test_what_is_printed_in_every_process_does_no_harm(
    library: Library, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a library that is preloaded may do."""
    (tmp_path / "sitecustomize.py").write_text("import os\nos.write(1, b'hello, I am the preloaded library\\n')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with RegistryClient(BACKEND, library.path, cached=False) as client:
        assert client.registry() == registry
        assert client._service is not None
        assert client._service.tail() == "hello, I am the preloaded library"


def test_ctrl_c_does_not_reach_the_service(library: Library) -> None:
    with RegistryClient(BACKEND, library.path, cached=False) as client:
        client.complete([EXP])
        assert os.getsid(child(client).pid) == os.getpgid(child(client).pid) == child(client).pid


def test_the_service_ends_when_its_client_hangs_up(library: Library) -> None:
    with RegistryClient(BACKEND, library.path, cached=False) as client:
        client.complete([EXP])
        service = client._service
        assert service is not None
        os.close(service.channel.writing)
        assert service.exit_code(30) == 0
        # Nobody else may get this number before `close` gives it back.
        os.dup2(service.channel.reading, service.channel.writing)


def test_a_library_that_can_not_be_loaded(tmp_path: Path) -> None:
    broken = tmp_path / "libmxnet.so"
    broken.write_bytes(b"not ELF")
    with RegistryClient(BACKEND, broken, cached=False) as client:
        for ask in (client.registry, lambda: client.complete([EXP])):
            with pytest.raises(LibraryError, match="can't be loaded"):
                ask()


def test_a_cached_registry_needs_no_process(library: Library, registry: Registry, cache_directory: Path) -> None:
    with RegistryClient(BACKEND, library.path) as client:
        assert client.registry() == registry
    with RegistryClient(BACKEND, library.path) as client:
        assert client.registry() == registry
        assert client._service is None
    assert [path.name.partition("-")[0] for path in cache_directory.iterdir()] == ["registry"]


@pytest.mark.parametrize("damage", [b"", b"{", b'{"format":0}', None])
def test_a_damaged_cache_is_made_again(
    library: Library, registry: Registry, cache_directory: Path, damage: bytes | None
) -> None:
    with RegistryClient(BACKEND, library.path) as client:
        client.registry()
    (path,) = cache_directory.iterdir()
    if damage is None:
        damage = json.dumps({**json.loads(path.read_bytes()), "format": 999}).encode()
    path.write_bytes(damage)
    with RegistryClient(BACKEND, library.path) as client:
        assert client.registry() == registry
    assert json.loads(path.read_bytes())["format"] == registry.format


def test_a_cache_that_can_not_be_written_is_no_error(
    library: Library, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no directory")
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path / "file" / "cache"))
    with RegistryClient(BACKEND, library.path) as client:
        assert client.registry() == registry


def test_a_changed_library_has_another_cache(tmp_path: Path) -> None:
    keys = {library_key(tmp_path / "libmxnet.so", BACKEND)}
    for name, content in (("libmxnet.so", b"one"), ("libmxnet.so", b"other"), ("other.so", b"other")):
        (tmp_path / name).write_bytes(content)
        keys.add(library_key(tmp_path / name, BACKEND))
    assert len(keys) == 4


def test_the_cache_follows_the_code_that_calls_the_library() -> None:
    assert Path(inspect.getfile(Library)) in BACKEND.code


@pytest.mark.parametrize("spoilt", [b"\xaf", b"\x00", b'"\xff"', b""])
def test_bytes_that_are_no_text_are_no_registry(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoilt: bytes
) -> None:
    monkeypatch.setenv("AUTOPERF_CACHE", str(tmp_path))
    library = tmp_path / "libmxnet.so"
    library.touch()
    cache = Cache(library, BACKEND)
    cache.save_registry(registry)
    cache.save_gradients({})
    assert cache.registry() == registry
    for file in tmp_path.glob("*.json"):
        file.write_bytes(file.read_bytes().replace(b"e", spoilt) + spoilt)
    assert cache.registry() is None or spoilt == b""
    assert cache.gradients() == {}
