"""Recordings under traces/real as scenes, with the times of their incidents."""

from functools import cache
from typing import Any

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.read.file_reads import Coverage
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.checkers.yaml_text import data_of


@cache
def gathered(name: str) -> tuple[Scene, list[Coverage]]:
    """A recording under traces/real as it is read without any options; it is read once and must not be changed."""
    run = find_runs([str(TOP / "traces" / "real" / name)], Options())[0]
    return gather(run, Options())


def recorded(name: str) -> Scene:
    """The scene of a recording."""
    return gathered(name)[0]


@cache
def started(name: str) -> int:
    """The beginning of a recording, by its manifest."""
    manifest = TOP / "traces" / "real" / name / "manifest.yaml"
    return int(data_of(manifest.read_text())["started_ms"])


SHORT = ("healthy", "healthy-quiet", "split", "zombie", "kill-owner")


def of_run(run: str, *values: Any, named: str, quick: tuple[str, ...] = SHORT) -> Any:
    """
    A case called *named* of a recording, in the process that reads it: all of its cases share what is read.

    Those not of a *quick* one are slow; make gate audits them all, and pins what each law finds and how often it may.
    """
    slow = [pytest.mark.slow] * (run not in quick)
    return pytest.param(run, *values, id=named, marks=[pytest.mark.xdist_group(run), *slow])


def about(value: float, tolerance: float) -> Any:
    """Equals *value*, give or take *tolerance*."""
    return pytest.approx(value, abs=tolerance)
