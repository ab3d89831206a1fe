"""Recordings under traces/real as scenes, with the times of what they show."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import yaml

from oneowner.checkers.places import ROOT
from oneowner.checkers.recordings.fold.runs import Options, find_runs
from oneowner.checkers.recordings.scene.gather import gather
from oneowner.checkers.recordings.scene.scene import Scene


@cache
def recorded(name: str) -> Scene:
    """The scene of a recording under traces/real; it is read once and must not be changed."""
    run = find_runs([str(ROOT / "traces" / "real" / name)], Options())[0]
    return gather(run, Options())[0]


@cache
def started(name: str) -> int:
    """When a recording began, by its manifest."""
    manifest = ROOT / "traces" / "real" / name / "manifest.yaml"
    return int(yaml.safe_load(manifest.read_text())["started_ms"])


def about(value: float, tolerance: float) -> Any:
    """What is equal to *value*, give or take *tolerance*."""
    return pytest.approx(value, abs=tolerance)
