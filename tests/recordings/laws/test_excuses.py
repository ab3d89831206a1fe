"""Every excuse of a law of the scene is needed: without it the law accuses somebody in a crafted case."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import SceneLaw
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.test_broken_by import TABLES

BOUND = [(law, excuse) for law in SCENE_LAWS for excuse in law.excuses]


def accusations(law: SceneLaw, given: Scene, left_out: Excuse[Any] | None) -> list[int]:
    """Return how many violations, and how many warnings, the law finds."""
    judged = law.judge(replace(given, left_out=left_out))
    found = Counter(finding.severity for finding in judged.findings)
    return [found[Severity.VIOLATION], found[Severity.WARNING]]


@pytest.mark.parametrize(("law", "excuse"), BOUND, ids=[f"{law.name}: {excuse.words}" for law, excuse in BOUND])
def test_law_accuses_in_a_crafted_case_without_the_excuse(law: SceneLaw, excuse: Excuse[Any]) -> None:
    scenes = (case.given for table in TABLES for case in table.values() if case.law == law)
    assert any(accusations(law, given, excuse) > accusations(law, given, None) for given in scenes)
