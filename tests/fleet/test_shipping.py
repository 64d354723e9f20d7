"""What a machine must have: the client's autoperf, its builds, and the user's files, all compared by digest."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
import pytest

from autoperf.backends.mxnet.capi.library import Library
from autoperf.comparison.comparison import ComparisonOptions
from autoperf.comparison.expectations import Expectations, Threshold
from autoperf.core.clocks import PYTHON, WALL
from autoperf.core.errors import LibraryError, UsageError
from autoperf.core.files import EXTENSIONS_VARIABLE
from autoperf.core.graph import LayerPlace
from autoperf.fleet import messages
from autoperf.fleet.messages import (
    Session,
    WantedBuild,
    WantedSide,
    check_version,
    found_build,
    layer_files,
    shipped,
    source_digest,
    unpacked,
    wanted_build,
    with_places,
)
from autoperf.hunt.request import HuntRequest
from autoperf.measurement.settings import Settings
from autoperf.rules.rule import Rule
from autoperf.rules.rule_files import read_rules


def session(**fields: object) -> Session:
    side = WantedSide("1.9.1", Settings(), WantedBuild("mxnet", None, "1.9.1"))
    return Session(**{"sides": (side,), **fields})


def test_the_source_is_one_digest() -> None:
    assert source_digest() == source_digest()
    assert len(source_digest()) == messages.DIGITS


def test_a_release_is_wanted_by_its_version_and_a_path_by_its_content(tmp_path: Path) -> None:
    build = tmp_path / "libmxnet.so"
    build.write_bytes(b"build")
    assert wanted_build("mxnet", None, "1.9.1", build) == WantedBuild("mxnet", None, "1.9.1")
    assert wanted_build("mxnet", "2.0.0b1", "2.0.0b1", build).digest == ""
    by_path = wanted_build("mxnet", str(build), "1.9.1", build)
    assert (by_path.hint, by_path.digest) == (str(build), hashlib.sha256(b"build").hexdigest())


def test_a_build_of_another_content_is_refused_with_both_digests(library: Library) -> None:
    path = Path(library.path)
    wanted = wanted_build("mxnet", str(path), "1.9.1", path)
    assert found_build(wanted) == path.resolve()
    other = msgspec.structs.replace(wanted, digest="0" * 64)
    with pytest.raises(LibraryError, match=f"expected the digest {'0' * 12}, .* got {wanted.digest[:12]}"):
        found_build(other)


def test_a_build_that_isnt_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LibraryError):
        found_build(WantedBuild("mxnet", str(tmp_path / "libmxnet.so"), "1.9.1", "0" * 64))


def test_another_version_is_refused_with_both() -> None:
    with pytest.raises(LibraryError, match=r"expected MXNet 1\.9\.1, as on the client, got 2\.0\.0b1"):
        check_version(WantedBuild("mxnet", None, "1.9.1"), "2.0.0b1")


def test_files_arrive_as_they_were_sent(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.py", "two.so")]
    for file in files:
        file.write_bytes(file.name.encode())
    places = unpacked(shipped([*files, files[0]]), tmp_path / "there")
    assert {path: place.read_bytes() for path, place in places.items()} == {str(f): f.name.encode() for f in files}
    assert [place.name for place in places.values()] == ["one.py", "two.so"]


RULES = """
from autoperf.rules.rule import inputs, rule, tensor
from .deep.sizes import SIZE

@rule("exp", category="unary", canonical={"mine": inputs(data=tensor(SIZE))})
def exp(draw, spec):
    return inputs(data=tensor(SIZE))
"""


def test_folders_of_rules_stay_folders_whose_files_import_each_other(tmp_path: Path) -> None:
    rules, single = tmp_path / "rules", tmp_path / "single.py"
    (rules / "deep").mkdir(parents=True)
    (rules / "mine.py").write_text(RULES)
    (rules / "deep" / "sizes.py").write_text("SIZE = 7\n")
    single.write_text(RULES.replace("from .deep.sizes import SIZE", "SIZE = 8").replace("exp", "sin"))
    request = HuntRequest(seed=0, budget=1.0, least=2.0, timeout=1.0, rules=(str(rules), str(single)))
    sent = session(files=shipped([rules, single]), hunt=request)
    hunt = with_places(msgspec.msgpack.decode(msgspec.msgpack.encode(sent), type=Session), tmp_path / "there").hunt
    assert hunt
    assert [Path(path).is_dir() for path in hunt.rules] == [True, False]
    found = [item for item in read_rules([Path(path) for path in hunt.rules]) if isinstance(item, Rule)]
    assert sorted(item.source for item in found) == ["user_rules/mine.py:exp", "user_rules1/single.py:sin"]


def test_too_much_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "MAX_FILES_BYTES", 3)
    (tmp_path / "one.py").write_text("four")
    with pytest.raises(UsageError, match="have 4 bytes together, and at most 3"):
        shipped([tmp_path / "one.py"])


def test_layers_and_extensions_are_used_from_their_places_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EXTENSIONS_VARIABLE, "/none.so")
    for name in ("net.py", "ops.so"):
        (tmp_path / name).write_text(name)
    place = LayerPlace("Net", file=str(tmp_path / "net.py"))
    settings = Settings(layers={"gluon_Net": place, "gluon_Dense": LayerPlace("Dense", ("nn",))})
    extension = tmp_path / "ops.so"
    side = WantedSide("1.9.1", settings, WantedBuild("mxnet", None, "1.9.1"))
    assert layer_files([settings]) == [tmp_path / "net.py"]
    sent = session(sides=(side,), files=shipped([*layer_files([settings]), extension]), extensions=(str(extension),))
    arrived = msgspec.msgpack.decode(msgspec.msgpack.encode(sent), type=Session)
    (there,) = with_places(arrived, tmp_path / "there").sides
    assert Path(there.settings.layers["gluon_Net"].file).read_text() == "net.py"
    assert there.settings.layers["gluon_Dense"] == settings.layers["gluon_Dense"]
    assert Path(os.environ[EXTENSIONS_VARIABLE]).read_text() == "ops.so"
    with_places(session(), tmp_path / "there")
    assert EXTENSIONS_VARIABLE not in os.environ


def test_the_options_by_which_pairs_end_travel_with_the_thresholds_of_a_file() -> None:
    expected = Expectations(thresholds=(Threshold(operator="dot", threshold=0.2),))
    options = ComparisonOptions(threshold=0.1, margin=0.02, metrics=(WALL, PYTHON), expectations=expected)
    arrived = msgspec.msgpack.decode(msgspec.msgpack.encode(session(stop=options)), type=Session)
    assert arrived.stop == options
