"""Every law of evidence is broken by a crafted case, and speaks of a recorded run."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from oneowner.checkers.places import TOP
from oneowner.checkers.recordings.laws.registry import SCENE_LAWS
from oneowner.checkers.recordings.laws.scene_law import SceneLaw
from oneowner.checkers.yaml_text import data_of
from oneowner.model.kernel.law import Severity
from tests.recordings.laws.cases import Case
from tests.recordings.laws.files import REAL
from tests.recordings.laws.test_injections import EXPECTED

HERE = Path(__file__).parent
ALTERED = "altered "
ALTERATIONS: dict[str, list[str]] = data_of((TOP / "tests/tools/alterations.yaml").read_text(encoding="utf-8"))
RECORDINGS: dict[str, str] = data_of((HERE / "recordings_by_law.yaml").read_text(encoding="utf-8"))
TABLES: list[dict[str, Case]] = [
    import_module(f"tests.recordings.laws.{path.stem}").CASES
    for path in sorted(HERE.glob("test_*.py"))
    if "\nCASES = {" in path.read_text(encoding="utf-8")
]


def test_every_law_has_a_row() -> None:
    assert list(RECORDINGS) == [law.name for law in SCENE_LAWS]


@pytest.mark.parametrize("law", SCENE_LAWS, ids=lambda law: law.name)
def test_crafted_case_breaks_the_law(law: SceneLaw) -> None:  # its own file tries whether it does
    cases = [case for table in TABLES for case in table.values() if case.law == law]
    if law.decides:
        assert Severity.VIOLATION in {found.severity for case in cases for found in case.found}
    else:  # a report warns at most, or notes
        assert any(case.found or case.doubts for case in cases)


@pytest.mark.parametrize("law", SCENE_LAWS, ids=lambda law: law.name)
def test_law_speaks_of_a_recorded_run(law: SceneLaw) -> None:
    run, _, injection = RECORDINGS[law.name].partition(", ")
    if injection.startswith(ALTERED):  # tests/tools/test_alterations.py does it
        assert law.name in ALTERATIONS[injection.removeprefix(ALTERED)]
    elif injection:  # test_injections.py does it
        assert run in EXPECTED[injection]
        assert EXPECTED[injection]["says"] == law.name
    else:
        pinned = data_of((REAL / run / "expectation.yaml").read_text(encoding="utf-8"))
        assert any(found.startswith(f"{law.name} ") for found in pinned["findings"])
