"""Every law of evidence is broken by a crafted input, and speaks of a recorded run: broken_by.yaml says where."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import yaml

from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import LawOutcome, SceneLaw
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.files import REAL
from tests.recordings.laws.test_injections import EXPECTED

BROKEN_BY: dict[str, tuple[str, str]] = yaml.safe_load(
    (Path(__file__).parent / "broken_by.yaml").read_text(encoding="utf-8")
)


def test_every_law_has_a_row() -> None:
    assert list(BROKEN_BY) == [law.name for law in SCENE_LAWS]


def judged_in(test: Callable[[], None], law: SceneLaw) -> list[LawOutcome]:
    """Run *test*; return all that *law* judged in it."""
    found: list[LawOutcome] = []

    def returned(frame: FrameType, event: str, value: Any) -> None:
        if event == "return" and frame.f_code is law.judge.__code__ and value is not None:
            found.append(value)

    sys.setprofile(returned)
    try:
        test()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("law", SCENE_LAWS, ids=lambda law: law.name)
def test_crafted_input_breaks_the_law(law: SceneLaw) -> None:
    module, test = BROKEN_BY[law.name][0].split(".")
    judged = judged_in(getattr(import_module(f"tests.recordings.laws.{module}"), test), law)
    severities = {finding.severity for one in judged for finding in one.findings}
    if law.decides:
        assert Severity.VIOLATION in severities
    else:
        assert severities or any(one.doubts for one in judged)


@pytest.mark.parametrize("law", SCENE_LAWS, ids=lambda law: law.name)
def test_law_speaks_of_a_recorded_run(law: SceneLaw) -> None:
    run, _, injection = BROKEN_BY[law.name][1].partition(", ")
    if injection:  # test_injections.py does it
        assert run in EXPECTED[injection]
        assert EXPECTED[injection]["says"] == law.name
    else:
        pinned = yaml.safe_load((REAL / run / "expectation.yaml").read_text(encoding="utf-8"))
        assert any(found.startswith(f"{law.name} ") for found in pinned["findings"])
