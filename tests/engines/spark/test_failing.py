"""Obstacles to the end of a distributed search: unknown, in a line, never valid."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from oneowner.checkers.engines.explore.exploration import Limits
from oneowner.checkers.engines.spark import library, work
from oneowner.checkers.engines.spark.library import Library, library_build, model_of
from oneowner.checkers.verdict import EngineError
from tests.engines.spark.searching import FAULTY, asked_of, by_spark


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Library:
    """A library as a machine of another kind gets it, which has seen none before."""
    build = library_build(FAULTY, *asked_of(FAULTY))
    build.make()
    sent = replace(Library.of(build), machine="Linux of another world", binary=b"no use here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(library, "_models", {})
    return sent


def test_library_is_made_where_machines_differ(elsewhere: Library) -> None:
    model = model_of(elsewhere)
    assert model.begin().shape == (model.initial, model.record)


def test_machine_of_another_kind_without_a_compiler_says_so(
    elsewhere: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(EngineError, match="without a C compiler"):
        model_of(elsewhere)


def test_library_of_another_model_is_not_used(tmp_path: Path) -> None:
    by_spark(folder=tmp_path / "levels")
    with pytest.raises(EngineError, match="another model"):
        work.model_at(str(tmp_path / "levels"), "another digest")


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Limit the files that this process writes to so many bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_full_disk_is_unknown_and_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    by_spark()  # it is compiled now
    with room_for(3_000):
        found = by_spark(folder=tmp_path / "levels")
    assert not found.finished
    assert "File too large" in found.stopped
    assert not list((tmp_path / "levels").glob("level-*/tmp*"))


def test_task_that_needs_more_memory_than_it_may_have_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "memory_of_process", lambda: 2**40)
    found = by_spark(limits=Limits(bytes=2**29))
    assert "budget of memory" in found.stopped
    assert not found.finished
