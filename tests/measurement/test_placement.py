"""Which processors a timing process gets, and that its threads stay there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autoperf.core.errors import UsageError
from autoperf.measurement.placement import (
    ANY,
    Claims,
    check_processors,
    choose_processors,
    own_processors,
    ranges,
    shares,
    usable_processors,
)


def topology(folder: Path, *cores: str) -> Path:
    """A machine on which each of these lists of processors shares a core."""
    for siblings in cores:
        for processor in siblings.split(","):
            place = folder / f"cpu{processor}" / "topology"
            place.mkdir(parents=True)
            (place / "thread_siblings_list").write_text(siblings + "\n")
    return folder


@pytest.mark.parametrize(
    ("threads", "chosen"),
    [(1, (7,)), (2, (6, 7)), (4, (4, 5, 6, 7)), (5, (3, 4, 5, 6, 7)), (8, tuple(range(8))), (9, ANY), (None, (7,))],
)
def test_as_many_processors_as_threads_on_different_cores_if_possible(
    tmp_path: Path, threads: int | None, chosen: tuple[int, ...]
) -> None:
    folder = topology(tmp_path, "0,4", "1,5", "2,6", "3,7")
    assert choose_processors(None, threads, range(8), {}, topology=folder) == chosen


def test_without_a_topology_the_last_are_taken(tmp_path: Path) -> None:
    assert choose_processors(None, 2, (0, 2, 5), {}, topology=tmp_path) == (2, 5)


def test_what_the_user_asks_for_is_taken(tmp_path: Path) -> None:
    assert choose_processors((1,), 4, (0, 1), {}, topology=tmp_path) == (1,)
    assert choose_processors(ANY, 1, (0, 1), {}, topology=tmp_path) == ANY


@pytest.mark.parametrize("name", ["OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"])
def test_a_binding_of_openmp_is_left_alone(tmp_path: Path, name: str) -> None:
    assert choose_processors(None, 1, (0, 1), {name: "true"}, topology=tmp_path) == ANY


def test_what_another_run_has_taken_is_the_last_choice(tmp_path: Path) -> None:
    def chosen(threads: int, *taken: int) -> tuple[int, ...]:
        return choose_processors(None, threads, (0, 1, 2), {}, taken=taken, topology=tmp_path)

    assert (chosen(1, 2), chosen(1, 2, 1), chosen(2, 2), chosen(1, 0, 1, 2)) == ((1,), (0,), (0, 1), (2,))


def test_a_claim_lasts_while_one_of_the_run_holds_it(tmp_path: Path) -> None:
    first, sibling, other = Claims(tmp_path, 10), Claims(tmp_path, 10), Claims(tmp_path, 20)
    first.hold((0, 1))
    sibling.hold((1,))
    assert (first.taken(), other.taken()) == (frozenset(), {0, 1})
    first.close()
    assert other.taken() == {1}
    sibling.close()
    assert other.taken() == frozenset()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_hides_no_claim(tmp_path: Path) -> None:
    other = Claims(tmp_path, 20)
    other.hold([1, 2, 3])
    for number in range(6):
        (tmp_path / f"cpu-{number}-30").mkdir()
    assert Claims(tmp_path, 10).taken() == {1, 2, 3}
    other.close()


def test_a_folder_that_cannot_be_used_has_no_claims(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    claims = Claims(tmp_path / "file" / "processors", 1)
    claims.hold((0,))
    assert claims.taken() == frozenset()


def test_a_processor_that_cannot_be_used_is_named() -> None:
    check_processors((1, 3), (1, 2, 3))
    with pytest.raises(UsageError, match=r"invalid cpus: processor 7 isn't usable; expected some of 0-2,5"):
        check_processors((0, 7), (0, 1, 2, 5))


@pytest.mark.parametrize(("processors", "text"), [((), ""), ((3,), "3"), ((0, 1, 2), "0-2"), ((7, 0, 1, 3), "0-1,3,7")])
def test_processors_are_listed_as_linux_does(processors: tuple[int, ...], text: str) -> None:
    assert ranges(processors) == text


PLACED = """
import os, threading
from autoperf.measurement.placement import place, usable_processors
ready, end = threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: (ready.set(), end.wait()))
thread.start(); ready.wait()
place(())
assert len(usable_processors()) == COUNT
place((CHOSEN,))
later = threading.Thread(target=lambda: print(sorted(os.sched_getaffinity(0))))
later.start(); later.join()
print(sorted(os.sched_getaffinity(thread.native_id)), sorted(os.sched_getaffinity(0)))
end.set()
"""


MOVED = """
from autoperf.measurement.placement import Mover, place, usable_processors
usable = usable_processors()
Mover(usable)()
assert usable_processors() == usable, "several processors: nothing to move from"
place(usable[-1:])
Mover(usable[-1:])()
assert usable_processors() == usable[-1:], "nowhere to go"
waiting = Mover(usable)
waiting()
there = usable_processors()
waiting()
assert usable_processors() == there, "it stays for a while"
place(usable[-1:])
mover = Mover(usable, stay=0.0)
places = []
for _ in usable:
    mover()
    places += usable_processors()
assert sorted(places) == list(usable), places
"""


def test_a_process_moves_to_the_next_processor_and_comes_round() -> None:
    subprocess.run([sys.executable, "-c", MOVED], check=True)


def test_all_threads_move_and_new_ones_inherit() -> None:
    usable = usable_processors()
    script = PLACED.replace("COUNT", str(len(usable))).replace("CHOSEN", str(usable[-1]))
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.split("\n")[:2] == [f"[{usable[-1]}]", f"[{usable[-1]}] [{usable[-1]}]"]
    assert tuple(sorted(os.sched_getaffinity(0))) == usable


def test_workers_share_the_processors(tmp_path: Path) -> None:
    """A core's for the same worker; as many for each, and in turn if there are more workers."""
    folder = topology(tmp_path, "0,4", "1,5", "2,6", "3,7")
    assert shares(range(8), 2, folder) == [(0, 1, 4, 5), (2, 3, 6, 7)]
    assert shares(range(8), 3, folder) == [(0, 4), (1, 5), (2, 6)]
    assert shares((0, 1), 3, tmp_path / "none") == [(0,), (1,), (0,)]
    assert shares((), 2) == [(), ()]


def test_a_variable_names_the_processors_of_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    usable = usable_processors()
    for listed, own in ((str(usable[-1]), usable[-1:]), ("", usable), ("9999", usable)):
        monkeypatch.setenv("AUTOPERF_PROCESSORS", listed)
        assert own_processors() == own
    monkeypatch.setenv("AUTOPERF_PROCESSORS", "none")
    with pytest.raises(UsageError, match="invalid processors 'none'"):
        own_processors()
