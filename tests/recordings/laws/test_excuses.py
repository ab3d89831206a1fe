"""Every excuse that is bound to code is needed: without it a law accuses somebody in a crafted case."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from oneowner.checkers.recordings.fold.recorded_law import Excuse
from oneowner.checkers.recordings.laws.registry import RECORDING_LAWS, SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import SceneLaw
from oneowner.checkers.recordings.scene.scene import Scene
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.test_broken_by import TABLES

BOUND = [(law, excuse) for law in SCENE_LAWS for excuse in law.excuses if excuse.subtrahend is not None]
IN_WORDS = {
    "tombstone-of-active": 1,
    "version-chain": 2,
    "overlapping-owners": 2,
    "parent-revived": 2,
    "split-tiles": 1,
    "children-before-deleted": 2,
    "given-back-by-force": 2,
    "stuck-in-flight": 3,
    "legal-history": 2,
    "dual-serving": 1,
    "claims-are-owned": 2,
    "answers-with-lock": 2,
    "told-owner-holds-lock": 1,
    "somebody-leads": 1,
    "cleanup-is-by-the-leader": 1,
}
"""By law: how many of its excuses are words beside the code that subtracts them. A debt: no number may grow."""
WITHOUT_CASE: frozenset[str] = frozenset()
"""The words of bound excuses that no crafted case needs. A debt, too."""


def accusations(law: SceneLaw, given: Scene, left_out: Excuse[Any] | None) -> list[int]:
    """Return how many violations, and how many warnings, the law finds."""
    judged = law.judge(replace(given, left_out=left_out))
    found = Counter(finding.severity for finding in judged.findings)
    return [found[Severity.VIOLATION], found[Severity.WARNING]]


def is_needed(law: SceneLaw, excuse: Excuse[Any]) -> bool:
    scenes = (case.given for table in TABLES for case in table.values() if case.law == law)
    return any(accusations(law, given, excuse) > accusations(law, given, None) for given in scenes)


@pytest.mark.parametrize(("law", "excuse"), BOUND, ids=[f"{law.name}: {excuse.words}" for law, excuse in BOUND])
def test_law_accuses_in_a_crafted_case_without_the_excuse(law: SceneLaw, excuse: Excuse[Any]) -> None:
    assert is_needed(law, excuse) == (excuse.words not in WITHOUT_CASE)


def test_excuses_in_words_are_counted() -> None:
    counted = Counter(law.name for law in RECORDING_LAWS for excuse in law.excuses if excuse.subtrahend is None)
    assert counted == IN_WORDS
